import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SideStart } from '../../../src/studies/overhead/side/messages.ts'
import { Side } from '../../../src/studies/overhead/side/side.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-side-'))
})
afterEach(() => rm(folder, { recursive: true }))

function start(): SideStart {
  const module = new URL('./fixtures/mortal-store.mjs', import.meta.url).href
  const opener = { module, url: 'redis://here', options: { folder } }
  const place = { namespace: ['run'], name: 'unikv_native_1' }
  return {
    side: 'native',
    opener,
    layers: [],
    ...place,
    valueSize: 10,
    callers: 1,
    timeoutMs: 10_000,
    seed: 1,
  }
}

test('the records of a process that ended by itself are removed by another one', async () => {
  const side = await Side.start(start())
  await side.load(0, 20)
  expect(await readdir(folder)).toHaveLength(20)
  await expect(side.run('read', 1)).rejects.toThrow('The process of the native side ended with 3.')
  await side.end()
  expect(await readdir(folder)).toEqual([])
})

test('a process whose parent is gone removes its records, and ends', async () => {
  const child = fork(new URL('../../../dist/studies/overhead/side/process.js', import.meta.url))
  for (const order of [
    { type: 'start', start: start() },
    { type: 'load', from: 0, to: 20 },
  ]) {
    child.send(order)
    expect(await once(child, 'message')).toEqual([{}, undefined])
  }
  expect(await readdir(folder)).toHaveLength(20)
  child.send({ type: 'load', from: 20, to: 1e9 })
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await readdir(folder)).toEqual([])
})
