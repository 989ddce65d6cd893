import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inProcess, main, root, waiting } from './command-line.ts'

/** Its script alone: no workflow runs here. */
const script = fileURLToPath(new URL('../../../action/compare.mjs', import.meta.url))

interface Asked {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly body: string
}

const asked: Asked[] = []
const comments: { id: number; body: string }[] = []
let refuses = false

/** It stands for the API of GitHub: comments of a pull request. */
const api = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += String(part)
  const { method = '', url = '', headers } = request
  const body = text === '' ? '' : (JSON.parse(text) as { body: string }).body
  asked.push({ method, path: url, token: headers.authorization ?? '', body })
  const id = Number(/comments\/(\d+)$/.exec(url)?.[1] ?? comments.length + 1)
  if (refuses) response.writeHead(403)
  else if (method === 'POST') comments.push({ id, body })
  else if (method === 'PATCH') comments[id - 1] = { id, body }
  const page = Number(/&page=(\d+)/.exec(url)?.[1] ?? 1)
  response.end(JSON.stringify(method === 'GET' ? comments.slice((page - 1) * 100, page * 100) : { id }))
})

beforeAll(async () => {
  for (const [out, ms] of [
    ['a', 20],
    ['b', 20],
    ['slow', 150],
  ] as const) {
    const measured = await inProcess(['bench', 'run', ...(await waiting(ms)), '--quiet', '--out', out])
    expect(measured.code, measured.err).toBe(0)
  }
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  await writeFile(join(root, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }))
})
afterAll(() => void api.close())

async function ran(more: Readonly<Record<string, string>> = {}) {
  const summary = join(root, `summary-${asked.length}-${Object.keys(more).join('-')}.md`)
  const env = {
    PATH: process.env['PATH'],
    UNIKV_COMMAND: `${process.execPath} ${main}`,
    UNIKV_BASE: 'a\n',
    UNIKV_NEW: '  b',
    UNIKV_TOKEN: 't0ken',
    GITHUB_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    GITHUB_REPOSITORY: 'me/mine',
    GITHUB_EVENT_PATH: join(root, 'event.json'),
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: join(root, 'outputs'),
    ...more,
  }
  const child = spawn(process.execPath, [script], { cwd: root, env })
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += text.toString()))
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, said, summary: await readFile(summary, 'utf8').catch(() => '') }
}

describe('action/compare.mjs', () => {
  test('writes the comparison into the summary and into one comment, which a later run replaces', async () => {
    comments.push(...Array.from({ length: 100 }, (_, i) => ({ id: i + 1, body: 'of somebody' })))
    const first = await ran()
    expect([first.code, comments.length], first.said).toEqual([0, 101])
    const { body } = comments[100] as { body: string }
    expect(body).toMatch(/^<!-- unikv bench compare: Benchmarks -->\n## Benchmarks\n\n### \d+ figures: /)
    expect(body).toContain('a and b were measured at two moments')
    expect(body).toMatch(
      /<details><summary>a and b: means of runs<\/summary>\n\n\| operation \|[^]*\n<\/details>/,
    )
    expect(first.summary).toBe(`${body}\n`)
    comments[100] = { id: 101, body: `${body} old` }
    await ran()
    expect([comments.length, comments[100]?.body]).toEqual([101, body])
    expect(asked.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`).slice(-3)).toEqual([
      'GET /repos/me/mine/issues/7/comments',
      'GET /repos/me/mine/issues/7/comments',
      'PATCH /repos/me/mine/issues/comments/101',
    ])
    expect(new Set(asked.map(({ token }) => token))).toEqual(new Set(['Bearer t0ken']))
    await ran({ UNIKV_TITLE: 'Other' })
    expect(comments).toHaveLength(102)
    expect(await readFile(join(root, 'outputs'), 'utf8')).toBe('verdict=ok\nverdict=ok\nverdict=ok\n')
  })

  test('fails where something became slower, also without a comment: with no token, no pull request, or a token that may only read', async () => {
    const before = asked.length
    await writeFile(join(root, 'push.json'), '{}')
    // And it fails where something became slower, unless it shall not.
    const slow = { UNIKV_NEW: 'slow', UNIKV_OPTIONS: ' --force\n--min-effect=50\n' }
    const failed = await ran({ ...slow, UNIKV_TOKEN: '' })
    const allowed = await ran({ ...slow, UNIKV_FAIL: 'false', GITHUB_EVENT_PATH: join(root, 'push.json') })
    expect([failed.code, allowed.code]).toEqual([3, 0])
    for (const { summary } of [failed, allowed])
      expect(summary).toMatch(/^## Benchmarks\n\n### \d+ figures: \d+ worse/m)
    expect((await readFile(join(root, 'outputs'), 'utf8')).endsWith('verdict=worse\nverdict=worse\n')).toBe(
      true,
    )
    expect(asked).toHaveLength(before)
    refuses = true
    const refused = await ran({ UNIKV_TITLE: 'Refused' })
    refuses = false
    expect([refused.code, refused.summary.length > 100]).toEqual([0, true])
    expect(refused.said).toContain('The comment could not be written: GET')
  })

  test('fails where there is nothing to compare', async () => {
    const missing = await ran({ UNIKV_NEW: 'missing' })
    expect([missing.code, missing.said]).toEqual([2, expect.stringContaining('missing holds no result')])
    const unknown = await ran({ UNIKV_COMMAND: '/no/such/program' })
    expect([unknown.code, unknown.said]).toEqual([1, expect.stringContaining('could not be run')])
  })
})
