import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/**
 * Workspace packages resolve to their source, so that tests need no build. Without `module`: Node gets these conditions
 * too, and what the AWS SDK has under that one runs in bundles alone.
 */
const conditions = ['@unikv/source', 'node', 'development|production']

/** The embedded run leaves these out; tests elsewhere that need a server leave themselves out. */
const needServers =
  process.env['UNIKV_EMBEDDED_ONLY'] === '1' ? ['packages/adapters/!(file|lmdb|sqlite)/test/**'] : []

/** Where `npm test` counts the tests. */
const reports = process.env['UNIKV_TEST_REPORTS']
const jsonReport = { outputFile: `${reports}/node-${process.versions.node}.json` }

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/**/test/**/*.test.ts', 'examples/test/**/*.test.ts', 'bench/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', ...needServers],
    globalSetup: ['packages/test-kit/src/vitest-global-setup.ts'],
    reporters: reports ? ['default', ['json', jsonReport]] : ['default'],
    pool: 'forks',
    // One more than there are cores: most tests wait for a server.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})
