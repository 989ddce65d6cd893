import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeWithOwn, isWhole, longTest } from '../src/vitest.ts'

interface Run {
  readonly exitCode: number
  /** What it printed, without the styles of a terminal. */
  readonly printed: string
}

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const config = fileURLToPath(new URL('fixtures/vitest.config.ts', import.meta.url))
/** Neither redis-server nor apt-get is found there. */
const emptyPath = { PATH: '/nowhere' }

/** Runs fixtures/needs-redis.ts in an environment that has only these variables. */
function runFixture(environment: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], NO_COLOR: '1', CI: '1', ...environment }
    const args = [vitest, 'run', '--config', config, '--reporter=verbose']
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), printed: `${stdout}${stderr}` }),
    )
  })
}

// Every test beside a shared server shows it, too.
if (isWhole)
  describeWithOwn('redis', () => {
    test('the setup starts the servers that the test files name', async () => {
      const { exitCode, printed } = await runFixture({})
      expect(printed).toContain('on redis > answers')
      expect(exitCode).toBe(0)
    })
  })

test('tests on a server that cannot be had are skipped, and the last lines say why', async () => {
  const { exitCode, printed } = await runFixture(emptyPath)
  expect(exitCode).toBe(0)
  expect(printed).toContain('1 skipped')
  expect(printed.trim().split('\n').at(-1)).toMatch(
    /^SKIPPED all tests on redis: redis-server not installed.*UNIKV_TEST_REDIS_URL/,
  )
})

longTest('they fail with UNIKV_REQUIRE=all', async () => {
  const { exitCode, printed } = await runFixture({ ...emptyPath, UNIKV_REQUIRE: 'all' })
  expect(exitCode).toBe(1)
  expect(printed).toContain('there is no server: redis-server not installed')
})

longTest('a server that was sought before in vain is not sought again', async () => {
  const { printed } = await runFixture({ UNIKV_TEST_REDIS_MISSING: 'on strike' })
  expect(printed).toContain('on redis: SKIPPED, on strike')
})

longTest('they are left out of the embedded run, which starts no server', async () => {
  const { exitCode, printed } = await runFixture({ UNIKV_EMBEDDED_ONLY: '1', UNIKV_REQUIRE: 'all' })
  expect(exitCode).toBe(0)
  expect(printed).toContain('not part of the embedded run')
  expect(printed).not.toContain('SKIPPED')
})
