import { defineConfig } from 'vitest/config'

/** Where `npm test` counts the tests. */
const reports = process.env['UNIKV_TEST_REPORTS']

export default defineConfig({
  test: {
    include: ['outside/*.test.ts'],
    // They install and build applications of Next.js, which takes minutes: npm run prove -- next
    exclude: process.env['UNIKV_NEXT'] ? [] : ['outside/next*.test.ts'],
    globalSetup: ['outside/project.ts'],
    reporters: reports ? ['default', ['json', { outputFile: `${reports}/outside.json` }]] : ['default'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
