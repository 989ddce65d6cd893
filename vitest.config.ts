import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Packages import each other's source, so that tests need no build. `UNIKV_BUILT=1`, which `npm test` sets after its build,
 * makes them import what was built: Node.js loads it by itself, which costs a quarter less processor time. A test
 * imports the package under test from its source in either case.
 */
const isBuilt = process.env['UNIKV_BUILT'] === '1'

/** Without `module`: Node gets these conditions too, and what the AWS SDK has under that one runs in bundles alone. */
const conditions = [...(isBuilt ? [] : ['@unikv/source']), 'node', 'development|production']

/** The embedded run leaves these out; tests elsewhere that need a server leave themselves out. */
const needServers =
  process.env['UNIKV_EMBEDDED_ONLY'] === '1' ? ['packages/adapters/!(file|lmdb|sqlite)/test/**'] : []

/**
 * `UNIKV_TESTS=quick` leaves these out: long simulations, attacks, kills of processes, and second forms of stacks. The
 * others take minutes.
 */
const notQuick = [
  '**/*{schedules,kill,processes,power-loss,hostile,tamper,fuzz,golden,stacks,outage}*.test.ts',
  'tests/stacks/{code-of-others,compositions,figures}.test.ts',
  'tests/stacks/{mirror,hashed-names,delta,rekey-stores}.test.ts',
  'tests/every-store/drivers.test.ts',
  'packages/conformance/test/broken-*.test.ts',
  'packages/middleware/*/test/**/*conformance.test.ts',
  'packages/middleware/encryption/test/{names,kms}/**',
  'packages/unikv/test/{main,sizes-command,deltas-command,workers-command}.test.ts',
  'packages/bench/test/workers/crew.test.ts',
  'packages/stores/test/urls.test.ts',
  'packages/test-kit/test/**',
  'bench/test/**',
]

/** Three JVMs, or a Python package: `npm run prove -- cassandra-cluster`, `river`, or `whole`. And what tells nothing in a short form: `comparisons`, `transaction-planted`, `long-look`. The faults of Upstash are those of http, whose client it has. */
const notShort = [
  'packages/adapters/cassandra/test/cluster.test.ts',
  'packages/bench/test/studies/run/comparisons.test.ts',
  'packages/tuner/test/river.test.ts',
  'packages/transaction/test/planted.test.ts',
  'packages/dashboard/test/long-look.test.ts',
  'packages/unikv/test/overhead-scale.test.ts',
  'packages/adapters/redis/test/upstash-faults.test.ts',
]
const leftOut = { quick: [...notQuick, ...notShort], whole: [] }[process.env['UNIKV_TESTS'] ?? ''] ?? notShort

/** Where `npm test` counts the tests. */
const reports = process.env['UNIKV_TEST_REPORTS']
const jsonReport = { outputFile: `${reports}/node-${process.versions.node}.json` }

/** Files that take longest, in the order of their start: what is left to the end is short, and no core waits. */
const slow = [
  /adapters\/(cassandra\/test\/cluster|swift\/test\/conformance)/,
  /adapters\/(s3|sqlite|cassandra|mongodb|mysql|couchdb|dynamodb|file)\/test\/conformance|conformance\/test\/stacks/,
  /adapters\/.*\/test\/(conformance|network|cluster)|tests\/stacks\/mirror|every-store\/tls|cache-processes/,
  /power-loss|compositions|unikv\/test\/(main|workers)|workers\/crew|frozen-servers|blocked-loop|kill\.test|cache-(bus|herd)|redis\/test\/tracking/,
]

/** The longest among those that share processes. */
const slowLight = /compression\/test\/(hostile|compress)|warm-time|encryption\/test\/streams/

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Projects that share processes run as one block each. The files that wait for servers most begin first.
    const block = { network: 0, commands: 1, light: 3 } as const
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const found = [...slow, slowLight].findIndex((pattern) => pattern.test(moduleId))
      const place = found === -1 ? slow.length + 1 : found
      return (block[project.name as keyof typeof block] ?? 2) * 100 + place
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

/** Properties draw from `UNIKV_SEED`, or from 1: see the module. */
const random = fileURLToPath(new URL('scripts/vitest-random.mjs', import.meta.url))
const fixedSeeds: Plugin = {
  name: 'fixed-seeds',
  enforce: 'pre',
  resolveId: (id, importer) => (id === 'fast-check' && importer !== random ? random : undefined),
}

const excluded = ['**/node_modules/**', '**/dist/**', ...needServers, ...leftOut]

/** Tests that share nothing but modules: one process runs many files, and loads what they import once. */
const light = [
  'packages/{config,conformance,core}/test/**/*.test.ts',
  'packages/bench/test/{,!(workers)/**/}*.test.ts',
  'packages/tuner/test/*.test.ts',
  'packages/middleware/**/test/**/*.test.ts',
  'bench/test/**/*.test.ts',
]

/** Tests of adapters and others that start no server, process or thread, and change nothing that others see. */
const pure = [
  'examples/test/layer-page.test.ts',
  'tests/stacks/{figures,write-behind-caches}.test.ts',
  'tests/house/{english,seeds,unknown-options}.test.ts',
  'packages/test-kit/test/{choose-source,debian-packages,test-tools}.test.ts',
  'packages/test-kit/test/{history/linearizable,history/unknown-outcomes,schedules/random}.test.ts',
  'tests/every-store/adapter-settings.test.ts',
  'tests/stacks/{destroyed-key,fallback-caches,hashed-names-stacks,plain-datasets,rotation-caches,secret-metrics}.test.ts',
  'tests/processes/judge.test.ts',
  'packages/stores/test/stores-page.test.ts',
  'packages/adapters/*/test/{types,*-errors,value-form,reply-parser}.test.ts',
  'packages/adapters/*/test/{key-places,parts,found-record,row-tap,object-record,redis-url}.test.ts',
]

/** Tests of stacks, doors, and HTTP that close what they open: they share processes with tests of stores behind a network. */
const together = [
  'packages/adapters/http/test/{attacks,attacks-dialects,conformance,server,unstorage,upstash}.test.ts',
  'tests/stacks/{blocked-layers,cache-over-two-stores,cache-tags,code-of-others,delta,finding*,foreign-layers}.test.ts',
  'tests/stacks/{half-failures,hashed-names,mirror,pairs-over-queues,parts*,reencrypt-stores,redis-*,rekey-stores,server-deltas}.test.ts',
  'packages/dashboard/test/{attacks,browser*,dashboard,data-view,decoding,equal-numbers,mounted,past,runs,tree,tuner}.test.ts',
  'tests/doors/{fastify-session,http-client,http-mounts,keyv,rate-limit,unstorage*,upstash}.test.ts',
  'tests/every-store/{banks,copy,entities}.test.ts',
  'examples/test/positions.test.ts',
]

/** Tests of stores behind a network: one process runs many of their files, too, so that it loads each driver once. */
const network = [
  'packages/adapters/{cassandra,couchdb,dynamodb,hbase,memcached,mongodb,mysql,postgres,redis,s3,swift}/test/**/*.test.ts',
  'packages/{entity,manager,snapshot,stores,transaction}/test/**/*.test.ts',
  'packages/tuner/test/servers/**/*.test.ts',
  ...together,
]

/** The command line: one process runs many of its files, each in a folder of its own. */
const commands = 'packages/unikv/test/**/*.test.ts'

/** These need a process of their own: they count connections or modules, starve it, or replace something that all share. */
const apart = [
  'packages/adapters/redis/test/{connections,least-rights,redis}.test.ts',
  'packages/adapters/memcached/test/connection.test.ts',
  'packages/adapters/mongodb/test/signals.test.ts',
  'packages/adapters/mysql/test/commit-tokens.test.ts',
  'packages/unikv/test/run-honesty.test.ts',
]

/** These count the timers of their process, and have one of their own: others leave theirs behind. */
const countTimers = [
  'packages/conformance/test/{broken-openings,broken-stores}.test.ts',
  'packages/core/test/deadlines.test.ts',
  'packages/middleware/mirror/test/mirror-failures.test.ts',
]

export default defineConfig({
  plugins: [fixedSeeds],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    server: { deps: { external: isBuilt ? [/\/packages\/.*\/dist\//] : [] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'light',
          include: [...light, ...pure],
          exclude: [...excluded, ...countTimers],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'network',
          include: network,
          exclude: [...excluded, ...pure, ...apart],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'commands',
          include: [commands],
          exclude: [...excluded, ...apart],
          isolate: false,
          setupFiles: ['packages/unikv/test/command-line.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: [...countTimers, ...apart], exclude: excluded } },
      {
        extends: true,
        test: {
          name: 'stores',
          include: [
            'packages/**/test/**/*.test.ts',
            'tests/{doors,every-store,house,processes,stacks,wire}/**/*.test.ts',
            'examples/test/**/*.test.ts',
          ],
          exclude: [...excluded, ...light, ...pure, ...network, commands, ...countTimers],
        },
      },
    ],
    globalSetup: ['packages/test-kit/src/vitest-global-setup.ts'],
    setupFiles: ['packages/test-kit/src/vitest-bytes.ts'],
    reporters: reports ? ['default', ['json', jsonReport]] : ['default'],
    pool: 'forks',
    sequence: { sequencer: SlowestFirst },
    // More than there are cores: most tests wait for a server.
    maxWorkers: availableParallelism() + 3,
    // A test that hangs is ended; a slow machine only takes longer.
    expect: { poll: { timeout: 120_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
