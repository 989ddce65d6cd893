import { randomBytes } from 'node:crypto'
import { keyValue } from '@unikv/core'
import { structured } from '@unikv/core/structured'
import { delta } from '@unikv/delta'
import { redis } from '@unikv/redis'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

interface Article {
  readonly title: string
  readonly reads: number
  readonly lines: readonly string[]
}

const lines = Array.from({ length: 2_000 }, (_, i) => `line ${i} of an article, as it was first written`)

describeWith('redis', (url) => {
  const opened = (dataset = `d${randomBytes(6).toString('hex')}`) => {
    const layer = delta()
    const kv = keyValue(redis({ url, dataset }), [structured<Article>(), layer])
    return { kv, dataset, stats: () => layer.stats()[0] }
  }

  test('what changes in place travels alone, and leaves a value that is whole', async () => {
    const one = opened()
    const other = opened(one.dataset)
    await one.kv.set('a', { title: 'first', reads: 1_000, lines })
    const whole = one.stats()?.writtenBytes ?? 0
    expect(whole).toBeGreaterThan(90_000)
    for (let n = 1; n <= 20; n++) {
      await one.kv.update('a', (article) => ({
        ...(article as Article),
        title: `no. ${n % 10}`,
        reads: 1_000 + n,
      }))
      expect(await other.kv.get('a')).toEqual({ title: `no. ${n % 10}`, reads: 1_000 + n, lines })
    }
    const stats = one.stats()
    expect(stats).toMatchObject({ wholes: 1, sent: 20, deltas: 0, bases: 0, conflicts: 0 })
    expect((stats?.writtenBytes ?? 0) - whole).toBeLessThan(20 * 100)
    expect(other.stats()).toMatchObject({ chainsRead: 0 })
    await Promise.all([one.kv.close(), other.kv.close()])
  })

  test('of four writers that count, each sending what changed, none loses a count', async () => {
    const first = opened()
    await first.kv.set('a', { title: 'counted', reads: 1_000, lines })
    const all = [first, ...Array.from({ length: 3 }, () => opened(first.dataset))]
    const more = (article: Article | undefined): Article => ({
      ...(article as Article),
      reads: (article?.reads ?? 0) + 1,
    })
    await Promise.all(
      all.map(async ({ kv }) => {
        for (let done = 0; done < 12; ) done += await kv.update('a', more).then(() => 1, lost)
      }),
    )
    expect((await first.kv.get('a'))?.reads).toBe(1_048)
    expect(all.reduce((sum, { stats }) => sum + (stats()?.sent ?? 0), 0)).toBeGreaterThan(24)
    await Promise.all(all.map(({ kv }) => kv.close()))
  })

  test('a set of what another writer changed meanwhile takes his place', async () => {
    const one = opened()
    const other = opened(one.dataset)
    await one.kv.set('a', { title: 'first', reads: 1, lines })
    await other.kv.set('a', { title: 'other', reads: 2, lines })
    await one.kv.set('a', { title: 'third', reads: 3, lines })
    expect(await other.kv.get('a')).toMatchObject({ title: 'third', reads: 3 })
    expect(one.stats()).toMatchObject({ conflicts: 1, sent: 1, wholes: 1 })
    await Promise.all([one.kv.close(), other.kv.close()])
  })
})

/** Others were faster, sixteen times. */
function lost(error: unknown): number {
  expect(error).toMatchObject({ code: 'CONDITION_FAILED' })
  return 0
}
