import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Bytes,
  isEntry,
  isStoreError,
  keyValue,
  type Mutation,
  newVersion,
  type Store,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { sync } from '@unikv/core/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FileOptions, file } from '../src/index.ts'

let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'unikv-file-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function open(options: Partial<FileOptions> = {}) {
  return file({ directory, durability: 'buffered', ...options })
}

async function write(store: Store<Bytes>, mutation: DistributiveOmit<Mutation<Bytes>, 'version'>) {
  const [result] = await store.write([{ ...mutation, version: newVersion() }], callOptions())
  return result
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

async function set(store: Store<Bytes>, key: string, text: string) {
  return write(store, { type: 'set', key, value: Buffer.from(text) })
}

async function get(store: Store<Bytes>, key: string): Promise<string | undefined> {
  const [found] = await store.read([{ key }], callOptions())
  if (isStoreError(found)) throw found
  return isEntry(found) ? Buffer.from(found.value).toString() : undefined
}

describe('the folder of the dataset', () => {
  test('is made by the first write, not by opening or reading', async () => {
    const store = open({ directory: join(directory, 'deep/er') })
    expect(await get(store, 'a')).toBeUndefined()
    for await (const { entries } of store.scan({ prefix: '', pageSize: 10, values: true }, callOptions()))
      expect(entries).toEqual([])
    expect(readdirSync(directory)).toEqual([])
    await set(store, 'a', '1')
    expect(readdirSync(join(directory, 'deep/er'))).toEqual(['unikv'])
    expect(await get(store, 'a')).toBe('1')
    await store.close()
  })

  test('is one of several in a directory, which do not see each other', async () => {
    const [one, two] = [open({ dataset: 'one' }), open({ dataset: 'two_2' })]
    await set(one, 'a', '1')
    await set(two, 'a', '2')
    expect(await get(one, 'a')).toBe('1')
    expect(await get(two, 'a')).toBe('2')
    expect(readdirSync(directory).toSorted()).toEqual(['one', 'two_2'])
    await Promise.all([one.close(), two.close()])
  })

  test('holds nothing but records after close', async () => {
    const store = open()
    await set(store, 'a', '1')
    await set(store, 'a', '2')
    await store.close()
    const names = readdirSync(join(directory, 'unikv'), { recursive: true }) as string[]
    expect(
      names.filter((name) => name.includes('-')).map((name) => name.replace(/^.*\//, '').slice(0, 2)),
    ).toEqual(expect.arrayContaining(['k-', 'b-']))
    expect(names.filter((name) => /\/[tocl]-/.test(name))).toEqual([])
  })

  test('is taken if it is empty', async () => {
    mkdirSync(join(directory, 'unikv'))
    const store = open()
    await set(store, 'a', '1')
    expect(await get(store, 'a')).toBe('1')
    await store.close()
  })

  test.each([
    [
      'of another version',
      () => writeFileSync(join(directory, 'unikv/unikv.json'), '{"store":"@unikv/file","format":2}\n'),
    ],
    [
      'with a link in it',
      () => {
        rmSync(join(directory, 'unikv/3'), { recursive: true })
        symlinkSync('/tmp', join(directory, 'unikv/3'))
      },
    ],
  ])('is refused if it is one %s', async (_, spoil) => {
    const first = open()
    await set(first, 'a', '1')
    await first.close()
    spoil()
    await expect(get(open(), 'a')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  test('is refused if it is a link or a file, or if the directory is a file', async () => {
    mkdirSync(join(directory, 'elsewhere'))
    symlinkSync(join(directory, 'elsewhere'), join(directory, 'linked'))
    writeFileSync(join(directory, 'text'), '')
    for (const options of [
      { dataset: 'linked' },
      { dataset: 'text' },
      { directory: join(directory, 'text') },
    ])
      await expect(set(open(options), 'a', '1')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect(readdirSync(join(directory, 'elsewhere'))).toEqual([])
  })
})

describe('settings', () => {
  test('a path that would be too long is refused', () => {
    const long = `/${'long/'.repeat(800)}`
    expect(() => open({ directory: long })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })

  test('decide the capabilities', () => {
    expect(file({ directory }).capabilities.durability).toBe('flushed')
    expect(open().capabilities.durability).toBe('buffered')
    expect(open().capabilities.sync).toBe('none')
    expect(file({ directory, sync: true }).capabilities.sync).toBe('all')
  })
})

describe('records', () => {
  test('are files that say which key they are of', async () => {
    const store = open()
    await set(store, 'user:Ada', '1')
    const path = store.native.pathOf('user:Ada')
    expect(path).toMatch(/\/unikv\/[0-9a-f]\/k-user%3a%41da$/)
    expect(readFileSync(path).subarray(20).toString()).toBe('1')
    await store.close()
  })

  test('of keys that lead elsewhere stay in the folder', async () => {
    const store = open()
    const keys = [
      '../../escape',
      '/etc/passwd',
      '..',
      '.',
      'C:\\x',
      '%2e%2e%2f',
      'a\0b',
      'con',
      'nul.txt',
      'a:b',
    ]
    await Promise.all(keys.map((key) => set(store, key, key)))
    for (const key of keys) expect(await get(store, key)).toBe(key)
    expect(readdirSync(directory)).toEqual(['unikv'])
    await store.close()
  })

  test('are not read or written through a symbolic link', async () => {
    const store = open()
    await set(store, 'a', '1')
    const [path, target] = [store.native.pathOf('a'), join(directory, 'target')]
    writeFileSync(target, 'outside')
    rmSync(path)
    symlinkSync(target, path)
    await expect(get(store, 'a')).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(await set(store, 'a', '2')).toMatchObject({ code: 'CORRUPT' })
    expect(readFileSync(target, 'utf8')).toBe('outside')
    await store.close()
  })

  test('are not waited for if a pipe or a folder is in their place', async () => {
    const store = open()
    await set(store, 'b', '1')
    execFileSync('mkfifo', [store.native.pathOf('a')])
    rmSync(store.native.pathOf('b'))
    mkdirSync(store.native.pathOf('b'))
    for (const key of ['a', 'b']) await expect(get(store, key)).rejects.toMatchObject({ code: 'CORRUPT' })
    await store.close()
  })

  test('keep a long key apart from one of the same digest name', async () => {
    const [key, other] = ['K'.repeat(500), 'L'.repeat(500)]
    const store = open()
    await set(store, key, '1')
    mkdirSync(join(store.native.pathOf(other), '..'), { recursive: true })
    writeFileSync(store.native.pathOf(other), readFileSync(store.native.pathOf(key)))
    await expect(get(store, other)).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(await get(store, key)).toBe('1')
    await store.close()
  })

  test('of other programs among ours are not listed', async () => {
    const store = open()
    await set(store, 'a', '1')
    for (const name of ['README', 'k-Upper', 'k-%zz', 'd-1', '.hidden', 't-unfinished'])
      writeFileSync(join(directory, 'unikv/0', name), 'x')
    const listed: string[] = []
    for await (const { entries } of store.scan({ prefix: '', pageSize: 10, values: false }, callOptions()))
      listed.push(...entries.map(({ key }) => key))
    expect(listed).toEqual(['a'])
    await store.close()
  })

  test('that expired are removed when they are met', async () => {
    let now = 1_000
    const store = open({ clock: () => now })
    await write(store, { type: 'set', key: 'a', value: Buffer.from('1'), expiresAt: 2_000 })
    now = 2_000
    expect(existsSync(store.native.pathOf('a'))).toBe(true)
    expect(await get(store, 'a')).toBeUndefined()
    expect(existsSync(store.native.pathOf('a'))).toBe(false)
    await store.close()
  })

  test('of a place in a scan that is none is an argument error', async () => {
    const store = open()
    await set(store, 'a', '1')
    for (const resume of ['', 'x', '0', 'g/k-a', '0/../x', '00/k-a']) {
      const first = store.scan(
        { prefix: '', pageSize: 1, values: false, resume },
        callOptions(),
      ) as AsyncIterable<unknown>
      await expect(first[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
    await store.close()
  })
})

describe('with sync: true', () => {
  test('every verb answers without a promise', () => {
    const store = file({ directory, sync: true })
    const kv = sync(keyValue(store))
    kv.set('a', Buffer.from('1'))
    expect(kv.increment('n', 2)).toBe(2)
    expect(Buffer.from(kv.get('a') ?? []).toString()).toBe('1')
    expect([...kv.keys()].toSorted()).toEqual(['a', 'n'])
    expect(kv.clear({ all: true })).toBe(2)
  })
})

describe('after close', () => {
  test('every verb is CLOSED', async () => {
    const store = open()
    await set(store, 'a', '1')
    await store.close()
    await store.close()
    await expect(get(store, 'a')).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(set(store, 'a', '1')).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('what was under way has been done', async () => {
    const store = open()
    const results = Array.from({ length: 20 }, (_, i) => set(store, `key ${i}`, '1'))
    await store.close()
    for (const result of await Promise.all(results)) expect(isStoreError(result)).toBe(false)
    expect(readdirSync(join(directory, 'unikv/locks')).filter((name) => !name.startsWith('b-'))).toEqual([])
  })
})

test.each([true, false])(
  'expired records do not stay for good, though nobody reads them (sync: %s)',
  async (sync) => {
    let now = 1_000
    const clock = (): number => now
    const store = open({ clock, sync })
    const kv = keyValue(store, [], { clock })
    const files = (): number => readdirSync(store.native.folder, { recursive: true }).length
    const round = async (name: number): Promise<void> => {
      const entries = Array.from({ length: 100 }, (_, i) => [`${i}-${name}`, Buffer.from('1')] as const)
      await kv.setMany(entries, { ttlMs: 10 })
      now += 10
    }
    for (let name = 0; name < 10; name++) await round(name)
    // 100 records live at a time, and writes replace those of the last round: only a sweep removes the others.
    for (let again = 0; files() > 400; again++) {
      expect(again).toBeLessThan(100)
      await round(10)
    }
    await kv.close()
  },
  90_000,
)
