import { defineConfig } from 'vitest/config'

/** Where `npm test` counts the tests. */
const reports = process.env['UNIKV_TEST_REPORTS']

/** They install and build applications of Next.js, which takes minutes: npm run prove -- next. CI runs the shortest. */
const nextTests = ['outside/next{,-components}.test.ts', 'outside/next-mounts.test.ts']
const leftOut = process.env['UNIKV_NEXT']
  ? []
  : nextTests.slice(0, process.env['UNIKV_REQUIRE'] === 'all' ? 1 : 2)

export default defineConfig({
  test: {
    include: ['outside/*.test.ts'],
    exclude: leftOut,
    globalSetup: ['outside/project.ts'],
    reporters: reports ? ['default', ['json', { outputFile: `${reports}/outside.json` }]] : ['default'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
