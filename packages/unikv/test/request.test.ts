import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadStudy } from '@unikv/bench/studies'
import { describe, expect, test } from 'vitest'
import { type BenchOptions, benchRequest } from '../src/cli/bench/bench-request.ts'
import { barLine, jsonLines, progress } from '../src/cli/bench/progress/progress.ts'
import { sentences } from '../src/cli/bench/progress/sentences.ts'

const sizes = await loadStudy('sizes')

const options: BenchOptions = {
  store: ['file:./d'],
  sizes: '1K,10K',
  runs: 4,
  parallel: 16,
  seed: 42,
  timeoutMs: 5_000,
  out: 'r',
}

describe('benchRequest of sizes', () => {
  test('takes memory as a cache in both modes, or in one', async () => {
    const caches = async (...cache: string[]) => (await benchRequest(sizes, { ...options, cache })).caches
    const both = [
      { name: 'memory', share: 'reference' },
      { name: 'memory-freeze', share: 'freeze' },
    ]
    expect(await caches('memory')).toEqual(both)
    expect(await caches('memory:')).toEqual(both)
    expect(await caches('m=memory?share=copy', 'memory:?share=freeze')).toEqual([
      { name: 'm', share: 'copy' },
      { name: 'memory-freeze', share: 'freeze' },
    ])
    expect(await caches('near=redis://h')).toEqual([{ name: 'near', url: 'redis://h' }])
    await expect(caches('memory?share=x')).rejects.toThrow(
      'The share of a memory cache must be reference, freeze or copy.',
    )
    await expect(caches('memory?max=5')).rejects.toThrow("A memory cache has no parameter 'max'")
  })

  test.each([
    [{ store: ['plain'] }, "'plain' is not a store URL"],
    [{ store: [], preset: 'bogus' }, "--preset: 'bogus' is not one of iyengar."],
    [
      { compression: ['lzma'] },
      "--compression: 'lzma' is unknown; known are gzip, brotli, deflate, zstd, lz4, snappy.",
    ],
    [{ encryption: ['rot13'] }, "--encryption: 'rot13' is unknown"],
    [{ cache: ['none'], hitRates: '0,100' }, '--hit-rates needs a cache: leave out --cache none'],
    [{ cache: ['none', 'memory'] }, '--cache none stands alone'],
    [{ cache: ['none'], measureHitRates: true }, '--measure-hit-rates needs a cache'],
    [{ hitRates: '101' }, "Hit rates: '101' is not from 0 to 100 per cent."],
    [{ sizes: '10K..1K' }, 'the range 10K..1K is empty'],
    [{ store: ['file:./d', 'b=file:./d'] }, 'file and b are the same place'],
    [
      { store: ['redis://h?dataset=x'], cache: ['near=redis://h?dataset=x'] },
      'redis and near are the same place',
    ],
  ] as const)('refuses %j', async (change, message) => {
    await expect(benchRequest(sizes, { ...options, ...change })).rejects.toThrow(message)
  })

  test.each([
    ['file:./d', 'file:d/'],
    ['file:./a%20b', 'file:a b'],
    ['lmdb:./d', `lmdb:${process.cwd()}/x/../d`],
    ['redis://h', 'valkey://h'],
    ['redis://h', 'redis://H:6379/'],
    ['redis://u:p@h', 'redis://h/0'],
    ['redis://h?db=2', 'redis://h/2'],
    ['redis://localhost', 'redis://127.0.0.1'],
    ['mysql://h/d', 'mariadb://h:3306/d/'],
    ['postgres://h/d', 'postgresql://u:p@h:5432/d'],
    ['cassandra://a,b:9042/k', 'cassandra://b,a/k'],
    ['couchdb://h/d', 'couchdb://h:5984/d'],
  ])('knows that %s and %s are one place', async (one, other) => {
    const twice = { store: [`a=${one}`, `b=${other}`] }
    await expect(benchRequest(sizes, { ...options, ...twice })).rejects.toThrow('a and b are the same place')
    const [store, cache] = [one, other].map((url) => `${url}${url.includes('?') ? '&' : '?'}dataset=x`)
    const both = { store: [`a=${store}`], cache: [`b=${cache}`] }
    await expect(benchRequest(sizes, { ...options, ...both })).rejects.toThrow('a and b are the same place')
  })

  test('knows that a link and the file to which it leads are one place', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'unikv-request-'))
    try {
      const [real, alias] = [join(folder, 'real'), join(folder, 'alias')]
      mkdirSync(real)
      symlinkSync(real, alias)
      const twice = { store: [`a=lmdb:${real}`, `b=lmdb:${alias}`] }
      await expect(benchRequest(sizes, { ...options, ...twice })).rejects.toThrow(
        'a and b are the same place',
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('knows the dataset that a cache has without a name of its own', async () => {
    const both = { store: ['redis://h?dataset=unikv_bench_cache'], cache: ['near=redis://h?driver=ioredis'] }
    await expect(benchRequest(sizes, { ...options, ...both })).rejects.toThrow(
      'redis and near are the same place',
    )
  })

  test.each([
    ['redis://h/1', 'redis://h/2'],
    ['redis://h', 'redis://h?driver=node-redis'],
    ['redis://h', 'redis://h:6380'],
    ['postgres://u@h', 'postgres://v@h'],
    ['swift://u@h/auth', 'swift://v@h/auth'],
    ['file:./d', 'lmdb:./d'],
    ['file:./d', 'file:./D'],
    ['memory:', 'memory:'],
  ])('takes %s beside %s', async (one, other) => {
    const { stores } = await benchRequest(sizes, { ...options, store: [`a=${one}`, `b=${other}`] })
    expect(stores).toHaveLength(2)
  })

  test('lets a store be the cache of another, in a dataset of its own', async () => {
    const { stores, caches } = await benchRequest(sizes, {
      ...options,
      store: ['redis://h'],
      cache: ['near=redis://h'],
    })
    expect([stores.length, caches.length]).toEqual([1, 1])
  })
})

describe('progress', () => {
  const cell = { kind: 'cache', store: 'file', cache: 'near', run: 2, point: 0 } as const
  const event = {
    type: 'cell',
    cell,
    label: 'file behind near',
    size: 10_000,
    done: 3,
    cells: 12,
    elapsedMs: 1_000,
    remainingMs: 125_000,
  } as const

  test('is one JSON object a line on request', () => {
    const lines: string[] = []
    const shown = progress({ columns: 80, error: (text) => lines.push(text) }, 'json')
    shown.show({ type: 'started', cells: 12, leastMs: 0 })
    shown.show(event)
    shown.end()
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ type: 'started', cells: 12, leastMs: 0 }, event])
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true)
  })

  test('is a bar on a terminal, redrawn in place, cut at its width and wiped at the end', () => {
    expect(barLine(event)).toBe(
      '███████░░░░░░░░░░░░░░░░░░░░░  25 % · 2 min 05 s left · run 2 · file behind near · 10 KB',
    )
    let drawn = ''
    const shown = progress({ columns: 40, error: (text) => (drawn += text) }, undefined)
    shown.show(event)
    expect(drawn).toBe(`\r${barLine(event).slice(0, 39)}\u001b[K`)
    shown.end()
    expect(drawn.endsWith('\r\u001b[K')).toBe(true)
    expect(drawn).not.toContain('\n')
  })

  test('is at most a sentence for each tenth in a log, and as JSON at most a line a second', () => {
    const logs = ['', '']
    let now = 0
    const forms = [
      sentences({ error: (text) => (logs[0] += text) }, () => now),
      jsonLines({ error: (text) => (logs[1] += text) }, () => now),
    ]
    // 100 records each 30 ms: a minute for 200,000.
    for (let records = 100; records <= 200_000; records += 100, now += 30)
      for (const form of forms) form.show({ type: 'loading', target: 'far', records, of: 200_000 })
    for (const form of forms) for (const done of [1, 2, 3]) form.show({ ...event, done, cells: 20 })
    const [told, json] = logs.map((text) => text.trimEnd().split('\n'))
    expect(told!.length).toBe(11)
    expect(told![0]).toBe('Loading far: 20,000 of 200,000 records.')
    expect(told!.at(-1)).toBe(
      '10 % of the measurements are done, 2 min 05 s left (last: file behind near, 10 KB, run 2).',
    )
    expect(json!.length).toBeLessThan(70)
    expect(JSON.parse(json!.at(-1)!)).toMatchObject({ type: 'cell', done: 3 })
  })
})
