import { isStoreError, type Mutation } from '@unikv/core'
import { judgeTransactions } from '@unikv/test-kit'
import { afterEach, expect, it, vi } from 'vitest'
import { isPrepared, readFrame } from '../src/layer/frame.ts'
import { Settling } from '../src/layer/settling.ts'
import { Log } from '../src/log/log.ts'
import { historyOf, type Plan } from './history.ts'
import { sharedMemory } from './world.ts'

const most = 150

afterEach(() => vi.restoreAllMocks())

// oxlint-disable typescript/unbound-method -- each is called with its own object
const { seen, settle } = Settling.prototype
const { commit, fate } = Log.prototype

/** Faults of the protocol, each planted by hand. */
const faults: Readonly<Record<string, () => Plan | undefined>> = {
  'readers do not wait for a decision': () => plantSeen('present'),
  'readers see what is not decided': () => plantSeen('next'),
  'nobody looks again at what was only read': () => ({ readsPast: true }),
  'a commit does not ask whether it was aborted': () => {
    vi.spyOn(Log.prototype, 'commit').mockImplementation(async function (this: Log, id, { value }) {
      await this.store.set(id, { ...value, state: 'committed' })
      return 'committed'
    })
  },
  'a commit whose answer was lost counts': () => {
    vi.spyOn(Log.prototype, 'commit').mockImplementation(async function (this: Log, id, opened, call) {
      const record = { ...opened.value, state: 'committed' } as const
      const work = this.store.set(id, record, { ifVersion: opened.version as string })
      return work.then(
        () => 'committed',
        (error: unknown) => {
          if (isStoreError(error) && error.code === 'OUTCOME_UNKNOWN') return 'committed'
          return commit.call(this, id, opened, call)
        },
      )
    })
    return { share: 1 / 8 }
  },
  'an abort is not written into the log': () => {
    vi.spyOn(Log.prototype, 'abort').mockImplementation(async () => 'aborted')
  },
  'readers decide what the log does not know': () => {
    vi.spyOn(Log.prototype, 'fate').mockImplementation(async function (this: Log, id, call) {
      return (await fate.call(this, id, call)) ?? 'aborted'
    })
  },
  'what was aborted is written': () => {
    vi.spyOn(Settling.prototype, 'settle').mockImplementation(function (this: Settling, framed) {
      return settle.call(this, framed, true)
    })
  },
  'records are prepared without a condition': () => ({
    change: (mutation) => (mutation.version.startsWith('f') ? free(mutation) : mutation),
  }),
  'records are settled without a condition': () => ({
    change: (mutation) => (mutation.ifVersion?.startsWith('f') === true ? free(mutation) : mutation),
  }),
}

function plantSeen(part: 'present' | 'next'): undefined {
  vi.spyOn(Settling.prototype, 'seen').mockImplementation(async function (
    this: Settling,
    key,
    call,
    settings,
  ) {
    const entry = settings?.known ?? (await this.look(key, call))
    if (entry !== undefined && isPrepared(entry.value)) return readFrame(entry.value)[part]
    return seen.call(this, key, call, { ...settings, known: entry })
  })
}

function free(mutation: Mutation<unknown>): Mutation<unknown> {
  return { ...mutation, ifVersion: undefined }
}

it.each(Object.entries(faults))('the judge finds that %s', { timeout: 120_000 }, async (_, plant) => {
  const plan = plant()
  for (let seed = 1; seed <= most; seed++)
    if (!judgeTransactions(await historyOf(seed, sharedMemory(), plan)).serializable) return
  expect.unreachable(`It did not find it in ${most} histories.`)
})
