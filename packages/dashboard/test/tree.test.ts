import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStores } from '@unikv/manager'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DashboardOptions, dashboard } from '../src/index.ts'

// The tree of keys, as the server makes it.

const folder = mkdtempSync(join(tmpdir(), 'unikv-tree-'))
const manager = await openStores({
  stores: {
    sorted: { url: `lmdb:${join(folder, 'sorted')}`, layers: ['json'] },
    walked: { url: 'memory:', layers: ['json'] },
  },
  monitor: true,
})
const { sorted, walked } = manager.stores
const token = 'a-token-of-the-tests'

/** Groups of very different sizes, namespaces inside each other, and keys that are near their groups. */
const keys = [
  ...Array.from({ length: 3_000 }, (_, i) => `big:${String(i).padStart(4, '0')}`),
  ...Array.from({ length: 300 }, (_, i) => `g${String(i).padStart(3, '0')}:only`),
  'big',
  'big;after',
  'user:',
  'user:ada:name',
  'user:ada:pin',
  'user:bo',
  '\u0001odd',
  'z\u{10ffff}:end',
]

beforeAll(async () => {
  for (const kv of [sorted, walked]) {
    await kv.setMany(keys.map((key) => [key, 1] as const))
    const inner = kv.namespace('team').namespace('a\u0001b')
    await inner.set('deep:1', 1)
    await kv.namespace('team').setMany(Array.from({ length: 700 }, (_, i) => [`member:${i}`, 1] as const))
    await kv.namespace('other').set('x', 1)
  }
})
afterAll(async () => {
  await manager.close()
  rmSync(folder, { recursive: true })
})

interface Level {
  readonly items: readonly { kind: string; name?: string; prefix?: string; key?: string; keys?: number }[]
  readonly cursor?: string
  readonly separator?: string
  readonly reads: number
  readonly prefix: string
  readonly namespace: readonly string[]
  readonly walked: number
  readonly isLast: boolean
  readonly detail?: string
}

/** What asks a dashboard. */
function opened(options: Partial<DashboardOptions> = {}) {
  const { fetch, close } = dashboard(manager, { tokens: [{ name: 'owner', token }], ...options })
  afterAll(close)
  const ask = (path: string, query: Record<string, string | readonly string[]>, signal?: AbortSignal) => {
    const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
    const headers = { authorization: `Bearer ${token}` }
    const url = `http://localhost/api/stores/${path}?${new URLSearchParams(pairs as [string, string][]).toString()}`
    return fetch(new Request(url, { headers, signal: signal ?? null }))
  }
  const level = async (query: Record<string, string | readonly string[]>): Promise<Level> =>
    (await ask('sorted/level', query)).json() as Promise<Level>
  return { ask, level }
}

const names = ({ items }: Pick<Level, 'items'>): readonly string[] =>
  items.map(({ kind, name, prefix, key }) => `${kind} ${name ?? prefix ?? key}`)

const topNames = [
  'namespace other',
  'namespace team',
  'key \u0001odd',
  'key big',
  'group big:',
  'key big;after',
  ...Array.from({ length: 300 }, (_, i) => `group g${String(i).padStart(3, '0')}:`),
  'group user:',
  'group z\u{10ffff}:',
]

describe('a store that lists in order', () => {
  test('shows a level by few reads, however large its groups are, and all rows of it by cursors', async () => {
    const { level } = opened()
    const found: string[] = []
    let [cursor, reads] = ['', 0]
    do {
      const part: Level = await level(cursor === '' ? {} : { cursor })
      found.push(...names(part))
      reads += part.reads
      cursor = part.cursor ?? ''
    } while (cursor !== '')
    expect(found).toEqual(topNames)
    // 4,000 keys in pages of 1,000 would take more rows than the whole level has.
    expect(reads).toBeLessThan(15)
  })

  test('is asked at most twice when nobody has asked', async () => {
    const calls = () => manager.monitor?.snapshot().stores['sorted']?.scan?.calls ?? 0
    const before = calls()
    const { reads, cursor } = await opened().level({ first: 'true' })
    expect([reads, calls() - before]).toEqual([2, 2])
    expect(cursor).toBeDefined()
  })

  test('shows groups inside groups, a key that is its group, and namespaces inside namespaces', async () => {
    const { level } = opened()
    expect(names(await level({ prefix: 'user:' }))).toEqual(['key user:', 'group user:ada:', 'key user:bo'])
    expect(names(await level({ prefix: 'user:ada:' }))).toEqual(['key user:ada:name', 'key user:ada:pin'])
    expect(names(await level({ namespace: 'team' }))).toEqual(['namespace a\u0001b', 'group member:'])
    expect(names(await level({ namespace: ['team', 'a\u0001b'] }))).toEqual(['group deep:'])
    expect(names(await level({ namespace: 'tea' }))).toEqual([])
    expect(names(await level({ prefix: 'z\u{10ffff}:' }))).toEqual(['key z\u{10ffff}:end'])
  })

  test('parts keys by what most of them have, or as it is told, or not at all', async () => {
    const { level } = opened()
    expect((await level({})).separator).toBe(':')
    expect(names(await level({ prefix: 'user', separator: 'a' }))).toEqual([
      'key user:',
      'group user:a',
      'key user:bo',
    ])
    const flat = await level({ prefix: 'user', separator: '' })
    expect(names(flat)).toEqual(['key user:', 'key user:ada:name', 'key user:ada:pin', 'key user:bo'])
  })

  test('shows a range of keys, without the namespaces', async () => {
    const range = { gte: 'big:2999', lt: 'g002' }
    expect(names(await opened().level(range))).toEqual([
      'group big:',
      'key big;after',
      'group g000:',
      'group g001:',
    ])
    const inner = await opened().level({ ...range, prefix: 'big:' })
    expect(names(inner)).toEqual(['key big:2999'])
  })

  test('shows a limited caller its own part first, and nothing else', async () => {
    const team = opened({ tokens: [{ name: 'x', token, namespace: ['team'] }] })
    const home = await team.level({})
    expect([home.namespace, names(home)]).toEqual([['team'], ['namespace a\u0001b', 'group member:']])
    for (const query of [{ namespace: 'other' }, { prefix: 'big' }])
      expect((await team.ask('sorted/level', query)).status).toBe(403)
    const big = opened({ tokens: [{ name: 'x', token, prefix: 'user:' }] })
    expect(names(await big.level({}))).toEqual(['key user:', 'group user:ada:', 'key user:bo'])
    expect((await big.ask('walked/walk', { prefix: 'big' })).status).toBe(403)
  })

  test.each(['', 'x', Buffer.from('[1]').toString('base64url')])(
    'refuses a cursor that it did not give: %j',
    async (cursor) => {
      expect((await opened().ask('sorted/level', { cursor })).status).toBe(400)
    },
  )

  test('is not led out of a level by a cursor of another', async () => {
    const cursor = Buffer.from(JSON.stringify(['a', null])).toString('base64url')
    expect(names(await opened().level({ prefix: 'user:', cursor }))).toEqual([
      'key user:',
      'group user:ada:',
      'key user:bo',
    ])
  })
})

describe('a store that walks all its keys', () => {
  /** The frames of a walk. */
  async function framesOf(answer: Promise<Response>): Promise<readonly Level[]> {
    const text = await (await answer).text()
    return text
      .split('\n\n')
      .filter((frame) => frame !== '')
      .map((frame) => JSON.parse(frame.slice('data: '.length)) as Level)
  }

  test('shows no level without a walk', async () => {
    const answer = await opened().ask('walked/level', {})
    expect([answer.status, ((await answer.json()) as Level).detail]).toEqual([
      400,
      expect.stringContaining('This store walks all its keys'),
    ])
  })

  test('shows a level by a walk, with how many keys each row has', async () => {
    const frames = await framesOf(opened().ask('walked/walk', {}))
    const rows = new Map(
      frames.flatMap(({ items }) => items).map((item) => [names({ items: [item] })[0], item]),
    )
    expect(new Set(rows.keys())).toEqual(new Set(topNames))
    expect([rows.get('group big:')?.keys, rows.get('namespace team')?.keys]).toEqual([3_000, 701])
    expect(frames.at(-1)).toMatchObject({ isLast: true, walked: keys.length + 702 })
  })

  test('rests after many rows, and goes on by the cursor', async () => {
    const { ask } = opened()
    const flat = { prefix: 'big:', separator: '' }
    const first = (await framesOf(ask('walked/walk', flat))).at(-1)
    expect([first?.isLast, first?.cursor]).toEqual([true, expect.any(String)])
    const found = new Set<string>()
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const frames = await framesOf(ask('walked/walk', cursor === '' ? flat : { ...flat, cursor }))
      for (const frame of frames) for (const name of names(frame)) found.add(name)
      cursor = frames.at(-1)?.cursor
    }
    expect(found.size).toBe(3_000)
  })

  test('ends a walk whose reader leaves, and refuses too many', async () => {
    const { ask } = opened()
    const walks = await Promise.all(Array.from({ length: 16 }, () => ask('walked/walk', { separator: '' })))
    expect((await ask('walked/walk', {})).status).toBe(503)
    for (const { body } of walks) await body?.cancel()
    const last = await ask('walked/walk', {})
    expect(last.status).toBe(200)
    await last.body?.cancel()
  })
})
