import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isStoreError, keyValue, newVersion, text, type Version } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeFileSystem } from '../src/disk/node-file-system.ts'
import { file } from '../src/index.ts'
import { systemProcesses } from '../src/writers/owner.ts'
import { directory, get, over, set } from './dataset-over.ts'

/** Nothing here takes so long, however slow the machine is. */
const patienceMs = 60_000
const stranger = fileURLToPath(new URL('./proofs/stranger.mjs', import.meta.url))
const owner = new URL('../dist/writers/owner.js', import.meta.url).href
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const canUnshare = isRoot && spawnSync('unshare', ['--pid', '--mount', '--fork', 'true']).status === 0
if (!canUnshare) console.log('SKIPPED: file stores in several containers (needs root on Linux, and unshare)')
if (!isRoot)
  console.log('SKIPPED: file systems that are full or read-only (needs root on Linux, to mount one)')

function locks(folder = directory): string[] {
  return readdirSync(join(folder, 'unikv/locks')).filter((name) => !name.startsWith('b-'))
}

describe.runIf(canUnshare)('a process in another container', () => {
  test('may take this one for dead: it announces itself anew, and goes on', async () => {
    await using kv = keyValue(file({ directory }), [text()])
    await kv.set('a', '1')
    const [identity] = locks()
    const inContainer = ['--pid', '--fork', '--mount-proc', process.execPath, stranger, directory]
    execFileSync('unshare', [...inContainer, '120000'])
    expect(locks()).toEqual([])
    await kv.set('a', '2')
    expect(locks()).toEqual([identity])
    execFileSync('unshare', [...inContainer, '120000'])
    await kv.delete('a')
    expect(await kv.has('a')).toBe(false)
  })

  test('that does not see which boot this is, sees whether a process lives', async () => {
    await using kv = keyValue(file({ directory }), [text()])
    await kv.set('a', '1')
    const before = locks()
    const run = `mount -t tmpfs none /proc/sys/kernel && exec '${process.execPath}' '${stranger}' '${directory}' 0`
    execFileSync('unshare', ['--mount', 'sh', '-c', run])
    expect(locks()).toEqual(before)
  })

  test('that shows the processes of another one under its own numbers takes none of them for itself', () => {
    const show = `const { systemProcesses } = await import(${JSON.stringify(owner)}); console.log(systemProcesses.identity())`
    const run = [process.execPath, '--input-type=module', '--eval', show]
    const [pid, start] = execFileSync('unshare', ['--pid', '--fork', ...run], { encoding: 'utf8' }).split('-')
    expect({ pid, start }).toEqual({ pid: '1', start: '0' })
  })
})

test('a store that is used gives signs of life, also by reads', async () => {
  let signs = 0
  const touch = (): void => void signs++
  const store = over({ touch }, {}, { ...systemProcesses, unseenMs: 6 })
  set(store, 'a', '1')
  for (let i = 0; i < 1_000_000 && signs < 3; i++) get(store, 'a')
  expect(signs).toBe(3)
})

describe('names that cannot be removed for a moment', () => {
  test('hold up nobody afterwards: neither this store nor others', async () => {
    let isBroken = false
    const broken = (): never => {
      throw Object.assign(new Error('EBUSY'), { code: 'EBUSY', syscall: 'unlink' })
    }
    const store = over({
      ...nodeFileSystem,
      rename: (from, to) => (isBroken ? broken() : nodeFileSystem.rename(from, to)),
      remove: (path) => (isBroken ? broken() : nodeFileSystem.remove(path)),
    })
    const other = over(nodeFileSystem)
    const deadlineAt = performance.now() + patienceMs
    const write = async (by: typeof store, key: string) => {
      const value = Buffer.from('2')
      const [result] = await by.write(
        [{ type: 'set', key, value, version: newVersion() }],
        callOptions({ deadlineAt }),
      )
      return isStoreError(result) ? result.code : 'done'
    }
    for (const key of ['a', 'b']) await write(store, key)
    isBroken = true
    expect(await write(store, 'a')).toBe('UNAVAILABLE')
    expect(await write(store, 'b')).toBe('UNAVAILABLE')
    isBroken = false
    expect([await write(store, 'a'), await write(other, 'b')]).toEqual(['done', 'done'])
    await Promise.all([store.close(), other.close()])
    const names = readdirSync(join(directory, 'unikv'), { recursive: true }) as string[]
    expect(names.filter((name) => /\/[tocl]-/.test(name))).toEqual([])
  })
})

test('writes that wait for claims of others hold up no other call, and have certainly not begun', async () => {
  await using kv = keyValue(file({ directory, maxInFlight: 4 }), [text()], { timeoutMs: patienceMs })
  const keys = Array.from({ length: 8 }, (_, i) => `claimed ${i}`)
  for (const key of keys) {
    const { version } = await kv.set(key, '1')
    writeFileSync(join(directory, 'unikv/locks', `c-${version}-0`), systemProcesses.identity())
  }
  const ended = new AbortController()
  const waiting = keys.map((key) => kv.set(key, '2', { signal: ended.signal }))
  const settled = Promise.allSettled(waiting)
  const behind = expect(kv.set(keys[0] as string, '3', { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  })
  await kv.set('fresh', '1')
  expect(await kv.get('fresh')).toBe('1')
  await behind
  ended.abort()
  for (const outcome of await settled) expect(outcome).toMatchObject({ reason: { code: 'ABORTED' } })
})

test('close waits for writes that wait for their turn', async () => {
  const store = file({ directory })
  const results = ['1', '2', '3'].map((value) =>
    store.write([{ type: 'set', key: 'a', value: Buffer.from(value), version: newVersion() }], callOptions()),
  )
  await store.close()
  for (const [result] of await Promise.all(results.map(async (result) => result)))
    expect(isStoreError(result)).toBe(false)
})

describe.runIf(isRoot)('a file system', () => {
  let disk = ''
  const mount = (options: string): void =>
    void execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', disk])
  const remount = async (mode: 'ro' | 'rw'): Promise<void> => {
    const isDone = (): Promise<boolean> =>
      new Promise((resolve) => {
        execFile('mount', ['-o', `remount,${mode}`, disk], (error) => resolve(error === null))
      })
    // Not while a file is open for writing.
    while (!(await isDone()));
  }
  beforeEach(() => {
    disk = join(directory, 'disk')
    mkdirSync(disk)
  })
  afterEach(() => execFileSync('umount', ['-l', disk]))

  test('that was read-only now and then keeps no key from being written', async () => {
    mount('size=16m')
    const kv = keyValue(file({ directory: disk }), [text()])
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`)
    let isOver = false
    const writing = keys.map(async (key) => {
      while (!isOver) await kv.set(key, '1').catch(() => {})
    })
    for (let round = 0; round < 15; round++) for (const mode of ['ro', 'rw'] as const) await remount(mode)
    isOver = true
    await Promise.all(writing)
    await Promise.all(keys.map((key) => kv.set(key, 'last', { timeoutMs: patienceMs })))
    await kv.close()
    // A writer that could not be announced removes its file as soon as it can, which may be after this.
    const left = (): string[] => {
      const names = readdirSync(join(disk, 'unikv'), { recursive: true }) as string[]
      return names.filter((name) => /\/[tocl]-/.test(name))
    }
    await expect.poll(left, { timeout: 60_000 }).toEqual([])
  })

  test('that is full lets a new process delete, change conditionally and make room', async () => {
    mount('size=1m')
    const filler = keyValue(file({ directory: disk }))
    let stored = 0
    const fill = () =>
      filler.set(`k${stored}`, Buffer.alloc(4_000)).then(
        () => true,
        () => false,
      )
    while (await fill()) stored++
    await filler.close()
    // The rest, to the last block.
    spawnSync('sh', ['-c', `cat /dev/zero > '${disk}/rest'`])
    const [one, other] = [keyValue(file({ directory: disk })), keyValue(file({ directory: disk }))]
    const ifVersion = (await one.getEntry('k0'))?.version as Version
    const removing = [one, other].map((kv) => kv.delete('k0', { ifVersion }))
    const outcomes = (await Promise.allSettled(removing)).map(({ status }) => status)
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await one.clear({ all: true })).toBe(stored - 1)
    await other.set('new', Buffer.alloc(4_000))
    await Promise.all([one.close(), other.close()])
    expect(locks(disk)).toEqual([])
  })

  test('without room for a dataset keeps nothing of the attempts to make one', async () => {
    mount('nr_inodes=12')
    const kv = keyValue(file({ directory: disk }), [text()])
    for (let i = 0; i < 3; i++) await expect(kv.set('a', '1')).rejects.toMatchObject({ code: 'STORE_FULL' })
    expect(readdirSync(disk)).toEqual([])
    spawnSync('mount', ['-o', 'remount,nr_inodes=1000', disk])
    await kv.set('a', '1')
    await kv.close()
  })
})
