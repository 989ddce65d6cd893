import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEntry, isStoreError, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import type { FileDataset } from '../src/dataset.ts'
import { nodeFileSystem } from '../src/disk/node-file-system.ts'
import { systemProcesses } from '../src/writers/owner.ts'
import { directory, get, over, set } from './dataset-over.ts'

async function versionOf(store: FileDataset, key: string): Promise<string> {
  const [found] = await store.read([{ key }])
  return isEntry(found) ? (found.version as string) : 'none'
}

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
      expect(systemProcesses.life([pid, start, '0', '1', own].join('-'))).toBe('unknown')
      expect(systemProcesses.life([pid, start, '0', namespace, own].join('-'))).toBe('alive')
      expect(systemProcesses.life('no identity')).toBe('dead')
    },
  )
})

/** The identity of a process that has ended. */
function deadIdentity(): string {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const [, ...rest] = systemProcesses.identity().split('-')
  return [pid.toString(16), ...rest].join('-')
}
