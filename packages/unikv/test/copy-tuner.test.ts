import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { openStores } from '@unikv/manager'
import { someOf } from '@unikv/test-kit/vitest'
import { type Tactic, TunerLog, tuner } from '@unikv/tuner'
import { expect, test } from 'vitest'
import { main, root } from './command-line.ts'

/** Does nothing, and says that it helps. */
const planted: Tactic = {
  name: 'planted',
  limitMs: 1000,
  knowledge: { effects: [], cost: 'Nothing at all.', source: 'a test' },
  applies: () => [
    { change: { planted: true }, title: 'a change', latency: { read: 0.5 }, seconds: 0, figures: [] },
  ],
  carryOut: async () => {},
  undo: async () => {},
  isDone: async () => true,
}

const url = (name: string) => `sqlite:${join(root, `${name}.db`)}`

/** A program whose store `users` breaks its promise, with a tuner that looks when it is told. */
async function program(name: string) {
  const read = { store: 'users', operation: 'read', percentile: 50, belowMs: 1e-6, minCalls: 1 } as const
  const manager = await openStores({
    stores: { users: url(name) },
    monitor: { policies: [{ ...read, over: '5s' }] },
  })
  const keepIn = keyValue(memory())
  const log = new TunerLog(keepIn)
  const tuning = tuner({ manager, keepIn, tactics: [planted], everyMs: 60_000 })
  return {
    users: manager.stores.users,
    tuning,
    /** Looks, of which each sees calls of the store. */
    async looks(count: number) {
      for (let i = 0; i < count; i += 1) {
        await manager.stores.users.get('user 1')
        await tuning.look()
      }
      return tuning.actions()
    },
    paused: async () => {
      await tuning.look()
      return (await log.pauses.now()).map(({ store, why }) => `${store}: ${why}`)
    },
    async [Symbol.asyncDispose]() {
      await tuning.close()
      await manager.close()
    },
  }
}

const commands = [
  ['a copy from its store', (name: string) => ['copy', url(name), url(`${name}-copy`)]],
  ['a snapshot of its store', (name: string) => ['snapshot', url(name), join(root, `${name}.snapshot`)]],
] as const

test.each(someOf(1, commands))(
  'beside %s by another process a tuner rests by itself',
  async (what, command) => {
    const name = what.includes('copy') ? 'copied' : 'saved'
    await using one = await program(name)
    const records = Array.from({ length: 500 }, (_, i) => [`user ${i}`, Buffer.from('a user')] as const)
    await one.users.setMany(records)
    const child = spawn(process.execPath, [main, ...command(name), '--rate', '5'], {
      cwd: root,
      stdio: 'ignore',
    })
    const ended = once(child, 'close')
    await expect.poll(one.paused, { timeout: 60_000, interval: 100 }).toEqual(['users: it is being copied'])
    expect(await one.looks(8)).toEqual([])
    expect(child.exitCode).toBeNull()
    child.kill('SIGINT')
    await ended
    await one.tuning.resume()
    expect(await one.looks(8)).toMatchObject([{ state: 'proposed' }])
  },
)
