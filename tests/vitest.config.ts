import { defineConfig } from 'vitest/config'

/** Where `npm test` counts the tests. */
const reports = process.env['UNIKV_TEST_REPORTS']

/** They install and build applications of Next.js, which takes minutes: npm run prove -- next. */
const leftOut = process.env['UNIKV_NEXT'] ? [] : ['outside/next{,-components,-mounts}.test.ts']

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
