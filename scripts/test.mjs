/**
 * The whole test command, on a fresh clone too: installs, builds, runs the stages two at a time while the servers
 * start that the later ones need, and stops the servers. Details are printed only of what fails; the last line is
 * `N passed, N failed, N skipped`. Until the build nothing but Node.js is needed.
 *
 *   npm test -- --quick              static checks, and the tests that need no server and little time
 *   npm test -- --only unit,lint     these stages only
 *   npm test -- --skip examples      all others
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, freemem } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { isInstalled } from './locked-install.mjs'
import { killRunning, runLogged } from './run-logged.mjs'
import { chosenStages } from './stages.mjs'
import { vitestCounts } from './vitest-counts.mjs'
import { root } from './workspaces.mjs'

const results = join(root, '.cache/test')
const requireAll = process.env.UNIKV_REQUIRE === 'all'
const nameWidth = 12
/** With less free memory, servers keep their data on the disk. */
const roomForData = 12 * 2 ** 30
const total = { passed: 0, failed: 0, skipped: 0 }
const skips = []
const failures = []

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    killRunning()
    // The servers end with this process.
    process.exit(130)
  })
}

process.exitCode = await main().catch((error) => {
  console.error(error.message)
  return 2
})

async function main() {
  const options = { only: { type: 'string' }, skip: { type: 'string' }, quick: { type: 'boolean' } }
  const { values } = parseArgs({ options })
  if (values.quick) Object.assign(process.env, { UNIKV_EMBEDDED_ONLY: '1', UNIKV_TESTS: 'quick' })
  const stages = chosenStages(values, requireAll && !values.quick)
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
  process.env.UNIKV_ARCHIVES = join(results, 'archives')
  console.log(`unikv: Node.js ${process.versions.node}, ${process.platform}, ${availableParallelism()} cores`)
  console.log(`random tests: seed ${process.env.UNIKV_SEED ?? 1} (UNIKV_SEED=7 npm test draws from another)`)
  if (await prepared()) await runAll(stages)
  return summary()
}

async function prepared() {
  if (!isInstalled() && !(await check({ name: 'install', command: ['npm', 'ci'] }))) return false
  return check({ name: 'build', script: 'build' })
}

async function runAll(stages) {
  const queue = stages.filter(({ alone }) => !alone)
  // They come from packages of the system, which is mostly waiting.
  const starting = stages.some(({ servers }) => servers) ? startServers() : undefined
  // The lane that waits for them is told of a failure.
  starting?.catch(() => {})
  const environmentOf = async ({ servers }) =>
    servers ? { ...process.env, ...(await starting).environment } : process.env
  const lane = async () => {
    for (let stage = queue.shift(); stage !== undefined; stage = queue.shift())
      await runStage(stage, await environmentOf(stage))
  }
  try {
    await Promise.all([lane(), lane()])
    for (const stage of stages.filter(({ alone }) => alone)) await runStage(stage, await environmentOf(stage))
  } finally {
    const servers = await starting?.catch(() => {})
    await servers?.stop()
  }
}

function runStage(stage, env) {
  return stage.vitest ? tests(stage, env) : check(stage, env)
}

/** Starts all servers that tests need; resolves to the variables that name them. */
async function startServers() {
  dataInMemory()
  const startedAt = performance.now()
  const testKit = await import(pathToFileURL(join(root, 'packages/test-kit/dist/index.js')).href)
  const say = (line) => console.log(`${'servers'.padEnd(nameWidth)}${line}`)
  const tools = await testKit.ensureTestTools(testKit.testTools, { say })
  // Three JVMs would weigh on the whole run: whose tests need this cluster starts one for itself.
  const kinds = testKit.serverKinds.filter((kind) => kind !== 'cassandra-cluster')
  const set = await testKit.startServers(kinds, { say })
  const names = set.servers.map(({ kind, source }) => `${kind} (${source})`)
  const seconds = (performance.now() - startedAt) / 1000
  tell('servers', set.missing.length === 0 ? 'ok' : 'MISSING', seconds, names.join(', '))
  for (const { kind, reason } of set.missing) noteMissing(`no ${kind} server`, `all tests on ${kind}`, reason)
  for (const { name, reason } of tools) noteMissing(`no ${name}`, `all tests with ${name}`, reason)
  return { environment: testKit.serverEnvironment(set), stop: set.stop }
}

function noteMissing(what, tests, reason) {
  if (requireAll) fail(`${what}, and UNIKV_REQUIRE=all: ${reason}`)
  else skips.push(`${tests}: ${reason}`)
}

/** Servers that flush to a disk wait for it; no test is about what a machine that loses power has flushed. */
function dataInMemory() {
  const folder = '/dev/shm'
  if (process.env.UNIKV_TEST_DATA !== undefined || !existsSync(folder)) return
  const { bavail, bsize } = statfsSync(folder)
  if (Math.min(bavail * bsize, freemem()) >= roomForData) process.env.UNIKV_TEST_DATA = folder
}

/** A stage that counts as one. */
async function check(stage, env) {
  const { ok } = await run(stage, env)
  if (ok) total.passed += 1
  else fail(stage.name)
  return ok
}

/** A stage of vitest runs, whose tests are counted. */
async function tests(stage, env) {
  const reports = join(results, stage.name)
  mkdirSync(reports)
  let counts
  await run(stage, { ...env, UNIKV_TEST_REPORTS: reports, UNIKV_BUILT: '1' }, (ok) => {
    counts = vitestCounts(reports)
    // Errors outside any test, or a run that broke off, fail nothing that is counted.
    if ((!ok || counts.reports === 0) && counts.failed === 0) counts.failed = 1
    return counted(counts)
  })
  for (const key of ['passed', 'failed', 'skipped']) total[key] += counts[key]
  if (counts.failed > 0) failures.push(`${stage.name}: ${counts.failed}`, ...counts.failures)
  skips.push(...counts.skips)
}

async function run(
  { name, script, command = ['npm', 'run', '--silent', script], limitMinutes },
  env,
  describe = () => '',
) {
  const logFile = join(results, `${name}.log`)
  const result = await runLogged(command, {
    logFile,
    env: { ...(env ?? process.env), NO_COLOR: '1' },
    limitMinutes,
  })
  const outcome = [describe(result.ok), result.problem].filter(Boolean).join(', ')
  tell(name, result.ok ? 'ok' : 'FAILED', result.seconds, outcome)
  if (!result.ok) console.log(details(readFileSync(logFile, 'utf8')))
  return result
}

/** The output of a failed stage, without the test files that passed. */
function details(log) {
  const lines = log.trimEnd().split('\n')
  return lines
    .filter((line) => !/^\s*[✓↓]/.test(line))
    .map((line) => `  | ${line}`)
    .join('\n')
}

/** One line when it has ended: stages run beside each other. */
function tell(name, verdict, seconds, outcome) {
  console.log(
    `${name.padEnd(nameWidth)}${verdict.padEnd(7)} ${seconds.toFixed(1).padStart(6)} s  ${outcome}`.trimEnd(),
  )
}

function fail(what) {
  total.failed += 1
  failures.push(what)
}

function summary() {
  console.log()
  for (const what of failures) console.log(`FAILED  ${what}`)
  for (const what of new Set(skips)) console.log(`SKIPPED ${what}`)
  console.log(counted(total))
  return total.failed > 0 ? 1 : 0
}

function counted({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
