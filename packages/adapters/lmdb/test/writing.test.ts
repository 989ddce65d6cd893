import { readdirSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bytes, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lmdb } from '../src/index.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-writing-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const newPath = () => mkdtemp(join(folder, 'data-'))

async function set(store: Store<Bytes>, key: string, text: string) {
  const mutation = { type: 'set', key, value: Buffer.from(text), version: newVersion() } as const
  await store.write([mutation], callOptions())
}

describe('the mark of a writer', () => {
  const marks = (path: string) => readdirSync(path).filter((name) => name.includes('-writing-'))

  test('stands beside the data while the store is open, and goes with it', async () => {
    const path = await newPath()
    const store = lmdb({ path })
    await set(store, 'a', '1')
    expect(marks(path)).toHaveLength(1)
    await pause(120) // more than two looks of 50 ms: now it rests
    expect(marks(path)).toHaveLength(1)
    const written = set(store, 'a', '2')
    await store.close()
    await written
    expect(marks(path)).toEqual([])
    await pause(120)
    expect(marks(path)).toEqual([])
  })

  test('does not come back by itself when its folder is emptied', async () => {
    const path = await newPath()
    const store = lmdb({ path })
    await set(store, 'a', '1')
    for (const name of marks(path)) rmSync(join(path, name))
    await pause(120)
    expect(marks(path)).toEqual([])
    await set(store, 'a', '2')
    expect(marks(path)).toHaveLength(1)
    await store.close()
  })
})
