/**
 * Runs the long proofs: those named on the command line, or all. Their short forms run with the tests, from a fixed seed; here
 * each run draws one, and says which. At its end a run appends its row to docs/proofs/proofs.tsv, and writes the page anew.
 *
 *   npm run prove -- crash-file crash-lmdb     500 times killed
 *   npm run prove -- power-loss --seed 7       10,000 modelled power cuts, from another seed
 *   npm run prove -- compositions --minutes 30    random programs over random stacks, for half an hour
 *   npm run prove -- lost-replies --store redis   every network fault thirty times, on this store alone
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printHistoryCounts, printLines, printNetworkCounts, printTrafficCounts } from './proof-counts.mjs'
import { appendProof } from './proof-rows.mjs'
import { root } from './workspaces.mjs'

const file = 'packages/adapters/file/test'
const lmdb = 'packages/adapters/lmdb/test'
const proofs = {
  // Every test in its whole length: what npm test leaves out of long lists, too. Some twenty minutes.
  whole: { tests: [], env: { UNIKV_TESTS: 'whole' } },
  'cassandra-cluster': {
    test: 'packages/adapters/cassandra/test/cluster.test.ts',
    env: { UNIKV_TESTS: 'whole' },
  },
  // The trees of the tuner beside those of river, on the same streams: some minutes.
  river: { test: 'packages/tuner/test/river.test.ts', env: { UNIKV_TESTS: 'whole' } },
  // 1,000 frames of the page of the dashboard, one a second: some twenty minutes, with Chromium.
  'equal-numbers': { test: 'packages/dashboard/test/equal-numbers.test.ts', env: { UNIKV_SAMPLES: '1000' } },
  // The page of the dashboard beside an application, on a quiet machine: build first; some twenty minutes, with Chromium and Redis.
  'long-look': {
    test: 'packages/dashboard/test/long-look.test.ts',
    env: { UNIKV_WATCHED_MS: '600000', UNIKV_SPAN_MS: '15000', UNIKV_SPANS: '10', UNIKV_TESTS: 'whole' },
  },
  // Ten million keys and a value of 100 MB in Chromium: some minutes, and 1.5 GB in the folder of tests.
  'large-data': {
    test: 'packages/dashboard/test/large-data.test.ts',
    env: { UNIKV_KEYS: '10000000', UNIKV_LARGE_BYTES: '100000000' },
  },
  'crash-file': { test: `${file}/kill.test.ts`, env: { UNIKV_CYCLES: '500' }, report: printLines },
  'crash-lmdb': { test: `${lmdb}/kill.test.ts`, env: { UNIKV_CYCLES: '500' }, report: printLines },
  // As sqlite runs on worker threads, it is the built package that is killed: npm run build first.
  'crash-sqlite': {
    test: 'packages/adapters/sqlite/test/kill.test.ts',
    env: { UNIKV_CYCLES: '500' },
    report: printLines,
  },
  // Random calls over random stacks of layers, with faults and clocks: 200,000 take some six hours. With --minutes it stops
  // early; each 250 programs it says what it has done.
  compositions: { test: 'tests/stacks/compositions.test.ts', env: { UNIKV_PROGRAMS: '200000' } },
  'power-loss': { test: `${file}/power-loss.test.ts`, env: { UNIKV_STATES: '10000' } },
  schedules: { test: `${file}/schedules.test.ts`, env: { UNIKV_SCHEDULES: '20000' } },
  // The conformance suite over hashed key names, also on files.
  'hashed-names': { test: 'tests/stacks/hashed-names.test.ts', env: { UNIKV_ALL_STORES: '1' } },
  'hashed-names-json': {
    test: 'packages/middleware/encryption/test/names/named-conformance.test.ts',
    env: { UNIKV_ALL_STORES: '1' },
  },
  'rekey-schedules': {
    test: 'packages/middleware/encryption/test/names/rekey-schedules.test.ts',
    env: { UNIKV_SCHEDULES: '1000' },
  },
  // Real stores and real waiting: some four minutes. Servers are started.
  'rekey-stores': { test: 'tests/stacks/rekey-stores.test.ts', env: { UNIKV_SETTLE_MS: '15000' } },
  'cache-schedules': {
    test: 'packages/middleware/cache/test/schedules.test.ts',
    env: { UNIKV_SCHEDULES: '9200' },
  },
  'explicit-cache-schedules': {
    test: 'packages/middleware/cache/test/explicit-schedules.test.ts',
    env: { UNIKV_SCHEDULES: '12000' },
  },
  'tag-schedules': {
    test: 'packages/middleware/cache/test/tag-schedules.test.ts',
    env: { UNIKV_SCHEDULES: '2000' },
  },
  // Eight processes on one Redis: some twenty minutes on two cores.
  'cache-processes': {
    test: 'tests/processes/cache-processes.test.ts',
    env: { UNIKV_CALLS: '20000', UNIKV_RUNS: '10', UNIKV_STOP_MS: '60000' },
  },
  // Eight processes with a bus, one of them stopped for a minute: some five minutes.
  'cache-bus': { test: 'tests/processes/cache-bus.test.ts', env: { UNIKV_RUN_MS: '12000' } },
  // On a quiet machine: some five minutes.
  comparisons: {
    test: 'packages/bench/test/studies/run/comparisons.test.ts',
    env: { UNIKV_COMPARISONS: '100', UNIKV_RUN_MS: '50', UNIKV_TESTS: 'whole' },
  },
  // Overhead from 10,000 to 1,280,000 records on one and three nodes of Cassandra, and on MongoDB beside keyv and unstorage: build
  // first; many hours. Measured results stay in .cache/overhead-scale, and the next start goes on after them.
  'overhead-scale': {
    test: 'packages/unikv/test/overhead-scale.test.ts',
    env: {
      UNIKV_VOLUMES: '10000,20000,40000,80000,160000,320000,640000,1280000',
      UNIKV_KEPT: join(root, '.cache/overhead-scale'),
      UNIKV_TESTS: 'whole',
      UNIKV_BUILT: '1',
    },
  },
  'cache-herd': { test: 'tests/processes/cache-herd.test.ts', env: { UNIKV_ROUNDS: '1000' } },
  'cache-outage': { test: 'tests/processes/cache-outage.test.ts', env: { UNIKV_OUTAGE_MS: '60000' } },
  'warm-kill': { test: 'tests/processes/warm-kill.test.ts', env: { UNIKV_CYCLES: '300' } },
  'warm-hostile': {
    test: 'packages/middleware/cache/test/warm-hostile.test.ts',
    env: { UNIKV_MUTATIONS: '20000' },
  },
  'warm-writes': {
    test: 'packages/middleware/cache/test/warm-writes.test.ts',
    env: { UNIKV_SCHEDULES: '5000' },
  },
  'warm-time': { test: 'packages/middleware/cache/test/warm-time.test.ts', env: { UNIKV_SCHEDULES: '5000' } },
  'mirror-schedules': {
    test: 'packages/middleware/mirror/test/schedules.test.ts',
    env: { UNIKV_SCHEDULES: '50000' },
  },
  'delta-chains': {
    test: 'packages/middleware/delta/test/delta-chains.test.ts',
    env: { UNIKV_CHAINS: '100000' },
  },
  'delta-stacks': { test: 'tests/stacks/delta.test.ts', env: { UNIKV_EVERY_STACK: '1' } },
  'delta-schedules': {
    test: 'packages/middleware/delta/test/schedules.test.ts',
    env: { UNIKV_SCHEDULES: '20000' },
  },
  // It is the built packages that are killed: npm run build first.
  'mirror-kill': { test: 'tests/processes/mirror-kill.test.ts', env: { UNIKV_CYCLES: '100' } },
  'behind-kill': { test: 'tests/processes/behind-kill.test.ts', env: { UNIKV_CYCLES: '200' } },
  // A million records between Redis and PostgreSQL, and through a snapshot, killed ten times each: some half an hour.
  'copy-kill': {
    test: 'tests/processes/copy-kill.test.ts',
    env: { UNIKV_RECORDS: '1000000', UNIKV_KILLS: '10' },
  },
  // Eight writers on each store while connections break: hours on slow stores.
  'entity-banks': { test: 'tests/every-store/banks.test.ts', env: { UNIKV_TRANSACTIONS: '25000' } },
  'transaction-histories': {
    test: 'packages/transaction/test/histories.test.ts',
    env: { UNIKV_HISTORIES: '2000' },
  },
  // Ten pairs of stores, from the seed on: resume with the next one.
  'transaction-pairs': {
    test: 'packages/transaction/test/pairs.test.ts',
    env: { UNIKV_HISTORIES: process.env['UNIKV_HISTORIES'] ?? '2000' },
    report: printLines,
  },
  // 1,000 writers killed while connections are cut: some two hours.
  'transaction-kill': {
    test: 'tests/processes/bank-kill.test.ts',
    only: 'over Redis, PostgreSQL and LMDB',
    env: { UNIKV_CYCLES: process.env['UNIKV_CYCLES'] ?? '500' },
    report: printLines,
  },
  // The judge finds ten faults that are planted: some minutes.
  'transaction-planted': {
    test: 'packages/transaction/test/planted.test.ts',
    env: { UNIKV_TESTS: 'whole' },
  },
  // Processes that publish and hand on end at any step, in memory: some five minutes.
  'outbox-crashes': {
    test: 'packages/transaction/test/outbox-crashes.test.ts',
    env: { UNIKV_KILLS: '9000' },
    report: printLines,
  },
  // Processes that go on with sagas end at any step, and meet lost replies, in memory: some minutes.
  'saga-crashes': {
    test: 'packages/transaction/test/saga.test.ts',
    env: { UNIKV_KILLS: '1000' },
    report: printLines,
  },
  // Real processes, over Redis with PostgreSQL and with LMDB: some half an hour.
  'outbox-kill': {
    test: 'tests/processes/outbox-kill.test.ts',
    env: { UNIKV_KILLS: '500', UNIKV_TESTS: 'whole' },
    report: printLines,
  },
  // It is the built packages that are killed: npm run build first.
  'entity-kill': { test: 'tests/processes/entity-kill.test.ts', env: { UNIKV_CYCLES: '200' } },
  // A process that makes an index, killed and followed by another one: on three stores, some ten minutes.
  'index-kill': { test: 'packages/tuner/test/servers/index-kill.test.ts', env: { UNIKV_CYCLES: '100' } },
  'bank-kill': { test: 'tests/processes/bank-kill.test.ts', env: { UNIKV_CYCLES: '100' } },
  'snapshot-damages': {
    test: 'packages/snapshot/test/snapshot.test.ts',
    env: { UNIKV_DAMAGES: '1000' },
  },
  'behind-schedules': {
    test: 'packages/middleware/write-behind/test/schedules.test.ts',
    env: { UNIKV_SCHEDULES: '2000' },
  },
  // Each decoder of core: some minutes.
  'codec-fuzz': { test: 'packages/core/test/codec-fuzz.test.ts', env: { UNIKV_INPUTS: '2000000' } },
  'compression-fuzz': {
    test: 'packages/middleware/compression/test/fuzz.test.ts',
    env: { UNIKV_INPUTS: '2000000' },
  },
  'compression-bombs': { test: 'tests/processes/bombs.test.ts', env: { UNIKV_BOMBS: 'all' } },
  // Eight writers in one process over a store that takes its time, and eight processes on one LMDB.
  rotation: { test: '/rotation-', env: { UNIKV_ROUNDS: '200', UNIKV_RUN_MS: '10000' } },
  'envelope-mutations': {
    test: 'packages/middleware/encryption/test/mutations/mutations.test.ts',
    env: { UNIKV_MUTATIONS: '1000000' },
  },
  'envelope-fuzz': {
    test: 'packages/middleware/encryption/test/fuzz/fuzz.test.ts',
    env: { UNIKV_INPUTS: '2000000' },
  },
  // Takes some 7 GB of memory.
  'envelope-huge': {
    test: 'packages/middleware/encryption/test/huge.test.ts',
    env: { UNIKV_HUGE_BYTES: '2200000000' },
  },
  // Two real applications, each installed, built, and served by two processes on one Redis: some three minutes.
  next: { test: 'outside/next', root: 'tests', env: { UNIKV_NEXT: '1' } },
  histories: { ofStores: 'history.test.ts', env: { UNIKV_OPERATIONS: '80000' }, report: printHistoryCounts },
  // A gigabyte through a server with a heap of 64 MB, over three stores: some three minutes.
  streams: {
    test: 'tests/processes/streams.test.ts',
    env: { UNIKV_MEBIBYTES: '1024' },
    report: printLines,
  },
  'delta-fuzz': {
    test: 'packages/middleware/delta/test/hostile.test.ts',
    env: { UNIKV_INPUTS: '2000000' },
    report: printLines,
  },
  'delta-round-trip': {
    test: 'packages/middleware/delta/test/round-trip.test.ts',
    env: { UNIKV_PAIRS: '2000000' },
  },
  // Days of a simulated store without an approval: some twenty minutes.
  'tuner-days': { test: 'packages/tuner/test/decisions.test.ts', env: { UNIKV_TUNER_DAYS: '10000' } },
  // It is the built packages that are killed: npm run build first. Some twenty minutes.
  'tuner-kill': { test: 'tests/processes/tuner-kill.test.ts', env: { UNIKV_KILLS: '100' } },
  'opening-lmdb': { test: `${lmdb}/opening.test.ts`, env: { UNIKV_CYCLES: '1000' } },
  flush: { test: `${lmdb}/flush.test.ts`, env: { UNIKV_BATCHES: '200' } },
  // Every property of fast-check, from twenty seeds.
  properties: { tests: importing('fast-check'), env: {}, seeds: 20 },
  revalidation: { test: 'tests/wire/', env: {}, report: printTrafficCounts },
  // A new rule under load on a million payments, database after database: some twenty minutes. On a quiet machine.
  fraud: { test: 'examples/test/fraud.test.ts', env: { UNIKV_RECORDS: '1000000' }, report: printLines },
  // 100,000 flights on four stores: some six minutes. On a quiet machine.
  positions: {
    test: 'examples/test/positions.test.ts',
    env: { UNIKV_RECORDS: '100000' },
    report: printLines,
  },
  // The auction with 200 to 3,200 sessions: some six minutes, and as long as the tests take at most. On a quiet machine.
  'sessions-scale': {
    test: 'packages/unikv/test/session-scale.test.ts',
    env: { UNIKV_SESSIONS: '200 400 800 1600 3200' },
    report: printLines,
  },
  'lost-replies': {
    ofStores: 'network.test.ts',
    env: { UNIKV_ROUNDS: '30', UNIKV_TESTS: 'whole' },
    report: printNetworkCounts,
  },
}

/** The tests of that name of every adapter, or of one. */
function ofStores(name, store) {
  const adapters = store ? [store] : readdirSync(join(root, 'packages/adapters'))
  return adapters
    .map((adapter) => `packages/adapters/${adapter}/test`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((test) => `${folder}/${test}`))
    .filter((test) => test.endsWith(name))
}

/** The test files that import this package. */
function importing(name) {
  const files = execFileSync('git', ['grep', '-l', `from '${name}'`, '--', '*.test.ts'], { cwd: root })
  return files.toString().trim().split('\n')
}

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, store: { type: 'string' }, minutes: { type: 'string' } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !(name in proofs))
if (unknown.length > 0) {
  console.error(`No proof ${unknown.join(', ')}; there are: ${Object.keys(proofs).join(', ')}`)
  process.exit(2)
}

for (const name of positionals.length > 0 ? positionals : Object.keys(proofs)) {
  const drawn = Array.from({ length: proofs[name].seeds ?? 1 }, () => String(randomInt(1, 2 ** 31)))
  const seeds = values.seed ? [values.seed] : drawn
  const runs = seeds.map((seed) => prove(name, seed))
  appendProof(name, rowOf(name, seeds, runs))
  execFileSync(process.execPath, [join(root, 'scripts/records.mjs')], { stdio: 'inherit' })
}

function prove(name, seed) {
  const { test, env, only, report, ofStores: pattern, root: folder } = proofs[name]
  const tests = proofs[name].tests ?? (pattern ? ofStores(pattern, values.store) : [test])
  const results = mkdtempSync(join(tmpdir(), 'unikv-proof-'))
  const [counts, judged] = [join(results, 'counts'), join(results, 'tests.json')]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  console.log(`${name}, seed ${seed}: again with npm run prove -- ${name} --seed ${seed}`)
  const { status } = spawnSync(
    process.execPath,
    [
      vitest,
      'run',
      ...tests,
      ...(only ? ['-t', only] : []),
      ...(folder ? ['--root', join(root, folder)] : []),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${judged}`,
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...env,
        UNIKV_COUNTS: counts,
        UNIKV_SEED: seed,
        ...(values.minutes ? { UNIKV_MINUTES: values.minutes } : {}),
      },
    },
  )
  if (status !== 0) process.exitCode = 1
  report?.(counts)
  const counted = existsSync(counts) ? readFileSync(counts, 'utf8').slice(0, 600) : ''
  return {
    ...(existsSync(judged) ? JSON.parse(readFileSync(judged, 'utf8')) : {}),
    held: status === 0,
    counted,
  }
}

/** The row of these runs in the table of proofs: what to type again, how many tests passed, and what they counted. */
function rowOf(name, seeds, runs) {
  const sum = (count) => runs.reduce((total, run) => total + (run[count] ?? 0), 0)
  const given = Object.entries(proofs[name].env).filter(
    ([variable, value]) => process.env[variable] === value,
  )
  const options = ['store', 'minutes'].filter((option) => values[option])
  return {
    command: [
      ...given.map(([variable, value]) => `${variable}=${value}`),
      `npm run prove -- ${name}`,
      ...options.map((option) => `--${option} ${values[option]}`),
      ...(seeds.length === 1 ? [`--seed ${seeds[0]}`] : []),
    ].join(' '),
    seed: seeds.join(', '),
    figures: [
      `${sum('numPassedTests')} of ${sum('numTotalTests')} tests`,
      ...runs.map(({ counted }) => counted),
    ]
      .filter((text) => text !== '')
      .join('; '),
    verdict: runs.every(({ held }) => held) ? 'held' : 'failed',
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString().trim(),
  }
}
