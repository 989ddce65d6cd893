/**
 * Compares benchmark results in a workflow: `unikv bench compare --markdown` goes to the summary of the job and, with a token, into one comment
 * of the pull request, which later runs replace. Inputs are environment variables (action.yml).
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'

const {
  UNIKV_BASE = '',
  UNIKV_NEW = '',
  UNIKV_OPTIONS = '',
  UNIKV_FAIL = 'true',
  UNIKV_TOKEN: token = '',
  UNIKV_TITLE: title = 'Benchmarks',
  UNIKV_COMMAND = 'npx --yes unikv',
  GITHUB_API_URL: api = 'https://api.github.com',
  GITHUB_REPOSITORY: repository = '',
  GITHUB_EVENT_PATH: event,
  GITHUB_STEP_SUMMARY: summary,
  GITHUB_OUTPUT: outputs,
} = process.env

const lines = (text) => text.split('\n').flatMap((line) => line.trim() || [])
const verdicts = { 0: 'ok', 3: 'worse', 4: 'untold' }
const regression = 3

const { status, found } = compared()
if (!(status in verdicts)) process.exit(status || 1)
const comment = `<!-- unikv bench compare: ${title.replaceAll('--', '')} -->\n## ${title}\n\n${found}`
if (summary !== undefined) appendFileSync(summary, `${comment}\n`)
if (outputs !== undefined) appendFileSync(outputs, `verdict=${verdicts[status]}\n`)
// A fork's token may not write: the summary is there all the same.
if (token !== '')
  await tell().catch((error) => process.stderr.write(`The comment could not be written: ${error.message}\n`))
process.exit(status === regression && UNIKV_FAIL !== 'false' ? regression : 0)

/** No shell takes part, so nothing within an input is a command. */
function compared() {
  const [program, ...first] = UNIKV_COMMAND.trim().split(/\s+/)
  const others = lines(UNIKV_NEW)
  const places = [...lines(UNIKV_BASE), ...(others.length === 0 ? [] : ['--', ...others])]
  const options = ['--markdown', '--fail-on-regression', ...lines(UNIKV_OPTIONS)]
  const ended = spawnSync(program, [...first, 'bench', 'compare', ...options, ...places], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (ended.error !== undefined) process.stderr.write(`${program} could not be run: ${ended.error.message}\n`)
  process.stdout.write(ended.stdout ?? '')
  return { status: ended.status, found: ended.stdout }
}

/** Write the comment, or replace the one of an earlier run. */
async function tell() {
  const number =
    event === undefined ? undefined : JSON.parse(readFileSync(event, 'utf8')).pull_request?.number
  if (number === undefined) return
  const [mark] = comment.split('\n')
  const own = await commentWith(mark, `/repos/${repository}/issues/${number}/comments`)
  if (own === undefined)
    await asked('POST', `/repos/${repository}/issues/${number}/comments`, { body: comment })
  else await asked('PATCH', `/repos/${repository}/issues/comments/${own.id}`, { body: comment })
}

async function commentWith(mark, path) {
  const size = 100
  for (let page = 1; ; page++) {
    const comments = await asked('GET', `${path}?per_page=${size}&page=${page}`)
    const own = comments.find(({ body }) => body?.startsWith(mark))
    if (own !== undefined || comments.length < size) return own
  }
}

async function asked(method, path, body) {
  const answer = await fetch(`${api}${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered by ${answer.status}`)
  return answer.json()
}
