import { StoreError } from '@unikv/core'
import { any, listener, ms, needed, type OptionsOf, readOptions } from '@unikv/core/adapter'
import type { Crew } from '../../drive/crew.ts'
import { signShared } from '../../drive/opened.ts'
import { checkReachable, queueAddress } from '../queue/redis.ts'
import { crewDriver } from './crew-driver.ts'
import { Session } from './session.ts'

const table = {
  /** URL of Redis or Valkey: `redis://[user:password@]host[:port][/database]`, or `rediss`, `valkey`, `valkeys`. */
  queue: needed(any<string>()),
  /** The longest wait for a worker that takes a share. @default 60,000 */
  waitMs: ms(60_000, { least: 1 }),
  /** Time between two signs of life of a worker; it is lost when it is silent for three. Equal for all. @default 2,000 */
  heartbeatMs: ms(2_000, { least: 1 }),
  /** Told of workers that are missing, leave or are lost: a sentence. */
  onNotice: listener<string>(),
}

/** Where workers wait, and how long a manager waits for them. */
export interface CrewOptions extends OptionsOf<typeof table> {}

/** Workers behind a queue. Close it in the end: what it put into Redis goes then. */
export interface QueueCrew extends Crew {
  /** Remove what is left in Redis. Workers close their stores, and wait for the next manager. */
  close(): Promise<void>
}

/**
 * Connect to a queue, for `runStudy({ crew })`. Workers that `startWorker` started there, on any machine, do the work.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`, `UNAVAILABLE` or `ACCESS_DENIED`
 */
export async function openCrew(options: CrewOptions): Promise<QueueCrew> {
  const { queue, ...settings } = readOptions('openCrew', table, options)
  const address = queueAddress(queue)
  await checkReachable(address)
  const session = await Session.open(address, settings)
  return {
    driver: async (driven) => {
      if (driven.workers < 1) throw new StoreError('INVALID_ARGUMENT', 'A crew needs at least one worker.')
      await signShared(driven.keys)
      return crewDriver(session, driven)
    },
    close: () => session.close(),
  }
}
