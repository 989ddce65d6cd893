import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bytes, isEntry, isStoreError, newVersion, type ReadResult, type WriteResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileDataset } from '../src/file-dataset.ts'
import type { FileSystem } from '../src/file-system.ts'
import { file } from '../src/index.ts'
import { nodeFileSystem, syncFileSystem } from '../src/node-file-system.ts'
import { fileSettings } from '../src/options.ts'
import { systemProcesses } from '../src/owner.ts'

let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'unikv-file-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** A store over the real file system with some of its calls changed. */
function over(
  changes: Partial<FileSystem>,
  options: { durability?: 'flushed' | 'buffered'; maxInFlight?: number } = {},
) {
  return new FileDataset(
    fileSettings({ directory, ...options }),
    { ...syncFileSystem, ...changes },
    systemProcesses,
  )
}

function set(store: FileDataset, key: string, text: string, options = callOptions()): WriteResult {
  const [result] = store.write(
    [{ type: 'set', key, value: Buffer.from(text), version: newVersion() }],
    options,
  ) as WriteResult[]
  return result as WriteResult
}

function get(store: FileDataset, key: string): string | undefined {
  const [found] = store.read([{ key }]) as ReadResult<Bytes>[]
  if (isStoreError(found)) throw found
  return isEntry(found) ? Buffer.from(found.value).toString() : undefined
}

async function versionOf(store: FileDataset, key: string): Promise<string> {
  const [found] = await store.read([{ key }])
  return isEntry(found) ? (found.version as string) : 'none'
}

function failing(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: secret path`), { code, syscall: 'call' })
  }
}

describe('an error of the file system', () => {
  test.each([
    ['EACCES', 'ACCESS_DENIED'],
    ['EPERM', 'ACCESS_DENIED'],
    ['EROFS', 'ACCESS_DENIED'],
    ['ENOSPC', 'STORE_FULL'],
    ['EDQUOT', 'STORE_FULL'],
    ['EMFILE', 'OVERLOADED'],
    ['EFBIG', 'VALUE_TOO_LARGE'],
    ['EIO', 'UNAVAILABLE'],
  ])('%s while a record is written is %s, tells no path, and the record is as it was', (code, meaning) => {
    let isBroken = false
    const store = over({
      write: (descriptor, bytes) => (isBroken ? failing(code)() : syncFileSystem.write(descriptor, bytes)),
    })
    set(store, 'a', '1')
    isBroken = true
    const result = set(store, 'a', '2')
    expect(result).toMatchObject({ code: meaning })
    expect(String((result as Error).cause)).toBe(`Error: ${code}: call failed`)
    expect(get(store, 'a')).toBe('1')
    isBroken = false
    set(store, 'a', '3')
    expect(get(store, 'a')).toBe('3')
  })

  test('is the answer for its record alone', async () => {
    const healthy = over({})
    set(healthy, 'a', '1')
    set(healthy, 'b', '2')
    const store = over({
      open: (path, flags) =>
        basename(path) === 'k-a' ? failing('EACCES')() : syncFileSystem.open(path, flags),
    })
    const [a, b] = store.read([{ key: 'a' }, { key: 'b' }]) as ReadResult<Bytes>[]
    expect(a).toMatchObject({ code: 'ACCESS_DENIED' })
    expect(String((a as Error).cause)).not.toContain('secret')
    expect(b).toMatchObject({ version: expect.any(String) })
  })

  test('after the change was made is OUTCOME_UNKNOWN, as it may not outlive a crash', () => {
    const folders = new Set<number>()
    const store = over({
      open: (path, flags) => {
        const descriptor = syncFileSystem.open(path, flags) as number
        if (/\/unikv\/[0-9a-f]$/.test(path)) folders.add(descriptor)
        return descriptor
      },
      flush: (descriptor) => (folders.has(descriptor) ? failing('EIO')() : syncFileSystem.flush(descriptor)),
    })
    expect(set(store, 'a', '1')).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(get(store, 'a')).toBe('1')
  })

  test('while a record is written leaves no part of it', () => {
    const healthy = over({})
    set(healthy, 'a', 'old')
    let isBroken = false
    const store = over({
      write: (descriptor, bytes) => {
        if (!isBroken) return syncFileSystem.write(descriptor, bytes)
        void syncFileSystem.write(descriptor, bytes.subarray(0, 5))
        return failing('ENOSPC')()
      },
    })
    set(store, 'b', '1')
    isBroken = true
    expect(set(store, 'a', 'new')).toMatchObject({ code: 'STORE_FULL' })
    expect(get(store, 'a')).toBe('old')
    const names = readdirSync(join(directory, 'unikv'), { recursive: true }) as string[]
    expect(names.filter((name) => /\/t-/.test(name))).toEqual([])
  })
})

describe('a flushed write', () => {
  test.each([
    ['new', 0],
    ['replaced', 1],
  ])(
    'of a %s record is on the disk before it has its name, and its name before it is acknowledged',
    (_, before) => {
      const calls: string[] = []
      const names = new Map<number, string>()
      const store = over({
        open: (path, flags) => {
          const descriptor = syncFileSystem.open(path, flags) as number
          names.set(descriptor, basename(path).slice(0, 2))
          return descriptor
        },
        write: (descriptor, bytes) => {
          calls.push(`write ${names.get(descriptor)}`)
          return syncFileSystem.write(descriptor, bytes)
        },
        flush: (descriptor) => {
          calls.push(`flush ${names.get(descriptor)}`)
          return syncFileSystem.flush(descriptor)
        },
        link: (path, name) => {
          calls.push(`link ${basename(name).slice(0, 2)}`)
          return syncFileSystem.link(path, name)
        },
        rename: (path, name) => {
          calls.push(`rename ${basename(name).slice(0, 2)}`)
          return syncFileSystem.rename(path, name)
        },
      })
      for (let i = 0; i < before; i++) set(store, 'a', 'old')
      set(store, 'another', '1')
      calls.length = 0
      set(store, 'a', 'new')
      const shard = basename(join(store.folder.place('a').folder))
      const placed = before === 0 ? ['link k-'] : ['link c-', 'rename k-']
      expect(calls).toEqual(['write t-', 'flush t-', ...placed, `flush ${shard}`])
    },
  )
})

describe('a scan of keys', () => {
  test('does not read bodies', () => {
    const store = over({})
    for (let i = 0; i < 20; i++) set(store, `key ${i}`, 'x'.repeat(100_000))
    let bytes = 0
    const watched = over({
      read: (descriptor, buffer, position) => {
        bytes += buffer.length
        return syncFileSystem.read(descriptor, buffer, position)
      },
    })
    const pages = [...watched.pagesNow({ prefix: '', pageSize: 7, values: false })]
    expect(pages.flatMap(({ entries }) => entries)).toHaveLength(20)
    expect(bytes).toBeLessThan(50_000)
  })
})

describe('many calls at once', () => {
  test('keep no more files open than they may', async () => {
    let open = 0
    let most = 0
    const counted: Partial<FileSystem> = {
      ...nodeFileSystem,
      open: async (path, flags) => {
        const descriptor = await nodeFileSystem.open(path, flags)
        most = Math.max(most, ++open)
        return descriptor
      },
      close: async (descriptor) => {
        await nodeFileSystem.close(descriptor)
        open--
      },
    }
    const store = over(counted, { maxInFlight: 5, durability: 'buffered' })
    const keys = Array.from({ length: 60 }, (_, i) => `key ${i}`)
    const version = newVersion()
    const value = Buffer.from('1')
    await Promise.all(
      keys.map(async (key) => store.write([{ type: 'set', key, value, version }], callOptions())),
    )
    await Promise.all(keys.map(async (key) => store.read([{ key }])))
    expect(most).toBeLessThanOrEqual(5)
    await store.close()
  })
})

describe('a claim', () => {
  test('of a process that lives is waited for until the deadline', async () => {
    set(over({}), 'a', '1')
    const store = over(nodeFileSystem)
    const version = await versionOf(store, 'a')
    writeFileSync(join(store.folder.locks, `c-${version}-0`), systemProcesses.identity())
    const options = callOptions({ deadlineAt: performance.now() + 50 })
    const mutation = { type: 'set', key: 'a', value: Buffer.from('2'), version: newVersion() } as const
    expect(await store.write([mutation], options)).toMatchObject([{ code: 'TIMEOUT' }])
    expect(options.sent).toBe(false)
    expect(await versionOf(store, 'a')).toBe(version)
    await store.close()
  })

  test('of this very thread is not waited for by a store that blocks it', async () => {
    const store = over({})
    set(store, 'a', '1')
    const version = await versionOf(store, 'a')
    writeFileSync(join(store.folder.locks, `c-${version}-0`), systemProcesses.identity())
    expect(set(store, 'a', '2')).toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('of a dead process holds up nobody', async () => {
    const store = over({})
    set(store, 'a', '1')
    const version = await versionOf(store, 'a')
    writeFileSync(join(store.folder.locks, `c-${version}-0`), deadIdentity())
    expect(isStoreError(set(store, 'a', '2'))).toBe(false)
    expect(get(store, 'a')).toBe('2')
    expect(readdirSync(store.folder.locks).filter((name) => name.startsWith('c-'))).toEqual([])
  })
})

describe('leftovers', () => {
  test('of dead writers go with the first write, those of living ones stay', () => {
    set(over({}), 'a', '1')
    const shard = join(directory, 'unikv/0')
    const [living, dead] = [systemProcesses.identity(), deadIdentity()]
    for (const identity of [living, dead]) {
      writeFileSync(join(shard, `t-${identity}-7`), 'half')
      writeFileSync(join(directory, 'unikv/locks', `o-${identity}`), identity)
      mkdirSync(join(directory, `unikv.new-${identity}`))
    }
    set(over({}), 'b', '1')
    expect(existsSync(join(shard, `t-${living}-7`))).toBe(true)
    expect(existsSync(join(shard, `t-${dead}-7`))).toBe(false)
    expect(existsSync(join(directory, 'unikv/locks', `o-${dead}`))).toBe(false)
    expect(existsSync(join(directory, `unikv.new-${living}`))).toBe(true)
    expect(existsSync(join(directory, `unikv.new-${dead}`))).toBe(false)
  })
})

describe('identities', () => {
  test('tell who lives', () => {
    const own = systemProcesses.identity()
    expect(systemProcesses.life(own)).toBe('alive')
    expect(systemProcesses.isHere(own)).toBe(true)
    expect(systemProcesses.life(deadIdentity())).toBe('dead')
  })

  test.runIf(process.platform === 'linux')('are not fooled by a process id that is used again', () => {
    const [pid, start, ...rest] = systemProcesses.identity().split('-')
    const earlier = [pid, (Number.parseInt(start as string, 16) - 1).toString(16), ...rest].join('-')
    expect(systemProcesses.life(earlier)).toBe('dead')
    expect(systemProcesses.isHere(earlier)).toBe(false)
  })

  test.runIf(process.platform === 'linux')(
    'of an earlier start of the machine are dead, of another container unknown',
    () => {
      const [pid, start, , namespace, own] = systemProcesses.identity().split('-')
      expect(systemProcesses.life([pid, start, 'abcdef01', namespace, own].join('-'))).toBe('dead')
      expect(systemProcesses.life([pid, start, systemProcesses.boot, '1', own].join('-'))).toBe('unknown')
    },
  )
})

/** The identity of a process that has ended. */
function deadIdentity(): string {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const [, ...rest] = systemProcesses.identity().split('-')
  return [pid.toString(16), ...rest].join('-')
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0
if (!canMount) console.log('SKIPPED: a disk that is full (needs root on Linux, to mount one)')

describe.runIf(canMount)('a disk that is full', () => {
  let disk = ''
  beforeEach(() => {
    disk = join(directory, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk])
  })
  afterEach(() => execFileSync('umount', [disk]))

  test('refuses with STORE_FULL and keeps everything', async () => {
    const store = file({ directory: disk })
    const stored: string[] = []
    let refusal: unknown
    for (let i = 0; refusal === undefined && i < 1_000; i++) {
      const [result] = await store.write(
        [{ type: 'set', key: `key ${i}`, value: Buffer.alloc(50_000, i), version: newVersion() }],
        callOptions(),
      )
      if (isStoreError(result)) refusal = result
      else stored.push(`key ${i}`)
    }
    expect(refusal).toMatchObject({ code: 'STORE_FULL' })
    const results = await store.read(
      stored.map((key) => ({ key })),
      callOptions(),
    )
    for (const [i, result] of results.entries())
      expect(isEntry(result) && Buffer.compare(result.value, Buffer.alloc(50_000, i)) === 0).toBe(true)
    const [replaced] = await store.write(
      [{ type: 'set', key: 'key 0', value: Buffer.alloc(90_000), version: newVersion() }],
      callOptions(),
    )
    expect(replaced).toMatchObject({ code: 'STORE_FULL' })
    await store.write([{ type: 'delete', key: 'key 0', version: newVersion() }], callOptions())
    await store.write([{ type: 'delete', key: 'key 1', version: newVersion() }], callOptions())
    const [made] = await store.write(
      [{ type: 'set', key: 'new', value: Buffer.alloc(50_000), version: newVersion() }],
      callOptions(),
    )
    expect(isStoreError(made)).toBe(false)
    await store.close()
  })
})
