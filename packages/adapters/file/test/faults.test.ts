import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Bytes, isEntry, isStoreError, newVersion, type ReadResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { syncFileSystem } from '../src/disk/node-file-system.ts'
import { file } from '../src/index.ts'
import { directory, get, over, set } from './dataset-over.ts'

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
      read: (path, maxBytes) =>
        basename(path) === 'k-a' ? failing('EACCES')() : syncFileSystem.read(path, maxBytes),
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
