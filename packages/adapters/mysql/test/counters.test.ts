import type { Json, Mutation, Store } from '@unikv/core'
import { mutate } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { drivers, mysqlBench } from './mysql-bench.ts'

/** Sums at the edges of what one number tells beside an expiry. */
const edges = [0, 2 ** 19 - 1, 2 ** 19, Number.MAX_SAFE_INTEGER]
const sums = edges.flatMap((sum) => [sum, -sum + 0])
const expiries = [undefined, Date.now() + 10_000_000, 2 ** 42 - 1, 2 ** 42, Number.MAX_SAFE_INTEGER]
const ups = (sum: number): number => (sum > 0 ? 1 : -1)

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)

  describe.each(drivers)('by %s', (driver) => {
    test.each(['bytes', 'document'] as const)('a counter of %s tells sum and expiry', async (values) => {
      const table = await bench.table({ values })
      const store = bench.store({ url, driver, table, values } as never) as unknown as Store<Json | Buffer>
      for (const [key, sum, expiresAt] of cases()) {
        const value = values === 'bytes' ? Buffer.from(String(sum - ups(sum))) : sum - ups(sum)
        const { version } = (await mutate(store, { type: 'set', key, value, expiresAt })) as {
          version: string
        }
        const once = { type: 'increment', key, by: ups(sum), initial: 0 } satisfies Partial<Mutation<unknown>>
        expect(await mutate(store, { ...once, ifVersion: version }), key).toMatchObject({
          value: sum,
          expiresAt,
        })
        expect(await mutate(store, { ...once, by: 0 }), key).toMatchObject({ value: sum, expiresAt })
      }
    })
  })
})

function cases(): [string, number, number | undefined][] {
  return sums.flatMap((sum) =>
    expiries.map((expiresAt): [string, number, number | undefined] => [
      `${sum} ${expiresAt}`,
      sum,
      expiresAt,
    ]),
  )
}
