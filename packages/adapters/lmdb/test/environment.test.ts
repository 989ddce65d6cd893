import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Bytes, isEntry, isStoreError, newVersion, type ReadResult, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkDataFile } from '../src/environment/data-file.ts'
import { type LmdbOptions, lmdb } from '../src/index.ts'
import { bundle } from './proofs/bundle.ts'

const canUnshare = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0
let folder = ''
let paths = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-lmdb-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function newPath(): string {
  return join(folder, String(++paths))
}

async function set(store: Store<Bytes>, key: string, text: string) {
  const mutation = { type: 'set', key, value: Buffer.from(text), version: newVersion() } as const
  const [result] = await store.write([mutation], callOptions())
  return result
}

function get(store: Store<Bytes>, key: string): string | undefined {
  const [found] = store.read([{ key }], callOptions()) as readonly ReadResult<Bytes>[]
  if (isStoreError(found)) throw found
  return isEntry(found) ? Buffer.from(found.value).toString() : undefined
}

function code(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return isStoreError(error) ? error.code : error
  }
  return undefined
}

/** A data file with a few thousand records. */
async function filled(): Promise<string> {
  const path = newPath()
  const store = lmdb({ path })
  const value = Buffer.alloc(700, 'x')
  await store.write(
    Array.from(
      { length: 2_000 },
      (_, i) => ({ type: 'set', key: `key ${i}`, value, version: newVersion() }) as const,
    ),
    callOptions(),
  )
  await store.close()
  return path
}

describe('an environment', () => {
  test('is made by the first write, not by opening or reading', async () => {
    const path = join(newPath(), 'deep', 'er')
    const store = lmdb({ path })
    expect(get(store, 'a')).toBeUndefined()
    for await (const { entries } of store.scan({ prefix: '', pageSize: 10, values: true }, callOptions()))
      expect(entries).toEqual([])
    expect(existsSync(path)).toBe(false)
    await set(store, 'a', '1')
    expect(existsSync(join(path, 'data.mdb'))).toBe(true)
    await store.close()
  })

  test('is a file if the path has an extension', async () => {
    const path = `${newPath()}.mdb`
    const store = lmdb({ path })
    await set(store, 'a', '1')
    await store.close()
    expect(readFileSync(path).length).toBeGreaterThan(0)
    expect(get(lmdb({ path }), 'a')).toBe('1')
  })

  test('must be there with prepare: false, and so must the dataset', async () => {
    const path = newPath()
    const store = lmdb({ path })
    await set(store, 'a', '1')
    expect(code(() => get(lmdb({ path, prepare: false, dataset: 'other' }), 'a'))).toBe('NOT_PREPARED')
    await store.close()
  })

  test('has one lock, also over a link to the data file in another folder', async () => {
    const path = `${newPath()}.mdb`
    const first = lmdb({ path, sync: true })
    await set(first, 'a', '1')
    const elsewhere = newPath()
    mkdirSync(elsewhere)
    const link = join(elsewhere, 'current.mdb')
    symlinkSync(path, link)
    const second = lmdb({ path: link, sync: true })
    expect(get(second, 'a')).toBe('1')
    expect(existsSync(`${link}-lock`)).toBe(false)
    await first.close()
    await second.close()
  })

  test('is shared by the stores of a path, also over a link, and closed by the last of them', async () => {
    const path = newPath()
    const link = newPath()
    const first = lmdb({ path })
    await set(first, 'a', '1')
    symlinkSync(path, link)
    const second = lmdb({ path: link, sync: true })
    expect(get(second, 'a')).toBe('1')
    const pending = set(first, 'b', 'later')
    void second.write(
      [{ type: 'set', key: 'c', value: Buffer.from('now'), version: newVersion() }],
      callOptions(),
    )
    expect(get(first, 'c')).toBe('now')
    await pending
    expect(get(second, 'b')).toBe('later')
    await first.close()
    expect(get(second, 'b')).toBe('later')
    await second.close()
    expect(code(() => get(second, 'b'))).toBe('CLOSED')
  })

  test('has one durability', async () => {
    const path = newPath()
    const first = lmdb({ path })
    await set(first, 'a', '1')
    expect(code(() => get(lmdb({ path, durability: 'buffered' }), 'a'))).toBe('INVALID_CONFIG')
    await first.close()
  })

  test.each([{ durability: 'buffered' }, { readOnly: true }] as const)(
    'that a thread has open with %o is refused to others of its process, for which LMDB would go on so',
    async (options) => {
      const path = newPath()
      const script = await bundle(new URL('proofs/setter.ts', import.meta.url), folder)
      const made = lmdb({ path })
      await set(made, 'a', '1')
      await made.close()
      const first = lmdb({ path, ...options })
      expect(get(first, 'a')).toBe('1')
      const end = (second: Partial<LmdbOptions>): Promise<unknown> => {
        const thread = new Worker(script, { argv: [path, 'a', '2', JSON.stringify(second)] })
        return once(thread, 'exit').catch((error: unknown) => error)
      }
      expect(await end({})).toMatchObject({ code: 'INVALID_CONFIG' })
      if ('durability' in options) expect(await end(options)).toEqual([0])
      expect(get(first, 'a')).toBe('durability' in options ? '2' : '1')
      await first.close()
      expect(await end({})).toEqual([0])
    },
  )

  test.runIf(canUnshare)('is open to one process of a number, as two containers may have it', async () => {
    const path = newPath()
    const script = await bundle(new URL('proofs/setter.ts', import.meta.url), folder)
    const one = `'${process.execPath}' '${script}' '${path}'`
    // Each is the first process of its container; the outer one has the file open meanwhile.
    const run = ['--pid', '--fork', '--mount-proc', process.execPath, script, path, 'a', '1', '{}']
    const inner = `unshare --pid --fork --mount-proc ${one} b 2`
    const { status, stderr } = spawnSync('unshare', [...run, inner], { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stderr).toContain('in another container')
  })

  test('has room for many datasets and readers', async () => {
    const path = newPath()
    const first = lmdb({ path })
    await set(first, 'a', '1')
    for (let i = 0; i < 200; i++) {
      const store = lmdb({ path, dataset: `d${i}` })
      expect(get(store, 'a')).toBeUndefined()
      await store.close()
    }
    const environment = first.native.env as { info(): { readonly maxReaders: number } }
    expect(environment.info().maxReaders).toBeGreaterThan(1_000)
    await first.close()
  })

  test('lets what is under way end before it is closed, and its process end then', async () => {
    const script = await bundle(new URL('proofs/closer.ts', import.meta.url), folder)
    const { status, stdout } = spawnSync(process.execPath, [script, newPath()], {
      encoding: 'utf8',
      timeout: 120_000,
    })
    expect(stdout).toBe('100 of 100\n')
    expect(status).toBe(0)
  })
})

describe('a read', () => {
  test('sees what another process has written since the last one, in the same turn too', async () => {
    const path = newPath()
    const script = await bundle(new URL('proofs/setter.ts', import.meta.url), folder)
    const store = lmdb({ path })
    await set(store, 'a', 'before')
    expect(get(store, 'a')).toBe('before')
    const { status } = spawnSync(process.execPath, [script, path, 'a', 'after'])
    expect(status).toBe(0)
    expect(get(store, 'a')).toBe('after')
    await store.close()
  })

  test('gives bytes that later reads and writes leave alone', async () => {
    const store = lmdb({ path: newPath() })
    for (const size of [0, 1, 5_000, 100_000, 3_000_000]) {
      const value = Buffer.alloc(size, 'a')
      await store.write([{ type: 'set', key: 'key', value, version: newVersion() }], callOptions())
      const [found] = store.read([{ key: 'key' }], callOptions()) as readonly ReadResult<Bytes>[]
      for (let i = 0; i < 5; i++) await set(store, 'key', 'b'.repeat(size))
      get(store, 'key')
      expect(isEntry(found) && Buffer.compare(found.value, Buffer.alloc(size, 'a'))).toBe(0)
    }
    await store.close()
  })
})

describe('a batch', () => {
  test('with one refusal changes nothing', async () => {
    for (const options of [{}, { sync: true }, { maxBytes: 1e9 }] satisfies Partial<LmdbOptions>[]) {
      const store = lmdb({ path: newPath(), ...options })
      await set(store, 'text', 'x')
      const results = await store.write(
        [
          { type: 'set', key: 'a', value: Buffer.from('1'), version: newVersion() },
          { type: 'increment', key: 'text', by: 1, initial: 0, version: newVersion() },
          { type: 'delete', key: 'text', version: newVersion(), ifVersion: newVersion() },
        ],
        callOptions(),
      )
      expect(results.map((result) => isStoreError(result) && result.code)).toEqual(
        Array(3).fill('INVALID_VALUE'),
      )
      expect(get(store, 'a')).toBeUndefined()
      expect(get(store, 'text')).toBe('x')
      await store.close()
    }
  })

  test('whose call has ended before its transaction began changes nothing', async () => {
    const store = lmdb({ path: newPath() })
    await set(store, 'a', '1')
    const options = callOptions()
    const value = Buffer.from('2')
    const changes = ['a', 'b'].map((key) => ({ type: 'set', key, value, version: newVersion() }) as const)
    const late = store.write(changes, options)
    options.settled = true
    await expect(late).rejects.toMatchObject({ code: 'ABORTED' })
    expect(options.sent).toBe(false)
    expect(get(store, 'a')).toBe('1')
    await store.close()
  })
})

describe('maxBytes', () => {
  test.each([false, true])(
    'refuses what would take more, and nothing that takes less (sync: %s)',
    async (sync) => {
      const store = lmdb({ path: newPath(), maxBytes: 400_000, sync })
      const value = Buffer.alloc(10_000, 'x')
      const put = async (key: string) =>
        store.write([{ type: 'set', key, value, version: newVersion() }], callOptions())
      let stored = 0
      const fill = async () => {
        for (; stored < 100; stored++) await put(`key ${stored}`)
      }
      await expect(fill()).rejects.toMatchObject({ code: 'STORE_FULL' })
      expect(stored).toBeGreaterThan(20)
      expect(stored).toBeLessThan(40)
      for (let i = 0; i < stored; i++) expect(get(store, `key ${i}`)?.length).toBe(10_000)
      await set(store, 'key 0', 'small')
      await store.write([{ type: 'delete', key: 'key 1', version: newVersion() }], callOptions())
      await put('another')
      expect(get(store, 'another')?.length).toBe(10_000)
      await store.close()
    },
  )
})

describe('a data file', () => {
  test.each([
    ['garbage', (data: string) => writeFileSync(data, Buffer.alloc(100_000, 0x5a)), 'CORRUPT'],
    ['zeros', (data: string) => writeFileSync(data, Buffer.alloc(100_000)), 'CORRUPT'],
    ['a few bytes', (data: string) => writeFileSync(data, 'short'), 'CORRUPT'],
    ['one page', (data: string) => truncateSync(data, 4_096), 'CORRUPT'],
    ['its first half', (data: string) => truncateSync(data, readFileSync(data).length >> 1), 'CORRUPT'],
    [
      'of another version',
      (data: string) => {
        const bytes = readFileSync(data)
        for (const at of [28, 4_096 + 28]) bytes.writeUInt32LE(1, at)
        writeFileSync(data, bytes)
      },
      'INVALID_CONFIG',
    ],
  ])('that is %s is refused and left alone', async (_, spoil, expected) => {
    const path = await filled()
    const data = join(path, 'data.mdb')
    spoil(data)
    const before = readFileSync(data)
    expect(code(() => get(lmdb({ path }), 'key 1'))).toBe(expected)
    await expect(set(lmdb({ path }), 'key 1', 'new')).rejects.toMatchObject({ code: expected })
    expect(readFileSync(data).equals(before)).toBe(true)
  })

  test('or a lock file that is a folder is refused', async () => {
    for (const name of ['data.mdb', 'lock.mdb']) {
      const path = newPath()
      mkdirSync(join(path, name), { recursive: true })
      expect(code(() => lmdb({ path }).native)).toBe('INVALID_CONFIG')
    }
  })

  test('that is shorter than it might be is taken, as LMDB leaves it so at times', async () => {
    const path = newPath()
    const store = lmdb({ path, sync: true, durability: 'buffered' })
    const data = join(path, 'data.mdb')
    const change = fc.record({ key: fc.nat(300), size: fc.option(fc.nat(9_000)) })
    fc.assert(
      fc.property(fc.uniqueArray(change, { maxLength: 40, selector: ({ key }) => key }), (changes) => {
        void store.write(
          changes.map(({ key, size }) =>
            size === null
              ? { type: 'delete', key: `key ${key}`, version: newVersion() }
              : { type: 'set', key: `key ${key}`, value: Buffer.alloc(size), version: newVersion() },
          ),
          callOptions(),
        )
        checkDataFile(data)
      }),
      { numRuns: 300 },
    )
    await store.close()
  })

  test('that was cut anywhere is refused, or everything in it can be read', async () => {
    const path = await filled()
    const copy = newPath()
    mkdirSync(copy)
    const size = readFileSync(join(path, 'data.mdb')).length
    let refused = 0
    for (let cut = 0; cut < size; cut += Math.floor(size / 60)) {
      copyFileSync(join(path, 'data.mdb'), join(copy, 'data.mdb'))
      truncateSync(join(copy, 'data.mdb'), cut + 1)
      if (code(() => checkDataFile(join(copy, 'data.mdb'))) === 'CORRUPT') refused++
    }
    expect(refused).toBeGreaterThan(55)
  })
})

const canMount = process.platform === 'linux' && process.getuid?.() === 0
test.runIf(canMount)('no file can be made on a full disk', () => {
  const disk = newPath()
  mkdirSync(disk)
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
  try {
    expect(code(() => lmdb({ path: join(disk, 'data') }).native)).toBe('STORE_FULL')
  } finally {
    spawnSync('umount', [disk])
  }
})
