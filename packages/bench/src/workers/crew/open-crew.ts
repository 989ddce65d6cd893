import { StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import type { Crew } from '../../drive/crew.ts'
import { signShared } from '../../drive/opened.ts'
import { checkReachable, queueAddress } from '../queue/redis.ts'
import { crewDriver } from './crew-driver.ts'
import { Session } from './session.ts'

/** Where workers wait, and how long a manager waits for them. */
export interface CrewOptions {
  /** URL of Redis or Valkey: `redis://[user:password@]host[:port][/database]`, or `rediss`, `valkey`, `valkeys`. */
  readonly queue: string
  /** The longest wait for a worker that takes a share. @default 60_000 */
  readonly waitMs?: number | undefined
  /** Time between two signs of life of a worker; it is lost when it is silent for three. Equal for all. @default 2_000 */
  readonly heartbeatMs?: number | undefined
  /** Told of workers that are missing, leave or are lost: a sentence. */
  readonly onNotice?: ((text: string) => void) | undefined
}

const optionNames: OptionNames<CrewOptions> = {
  queue: true,
  waitMs: true,
  heartbeatMs: true,
  onNotice: true,
}

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
  checkFactoryOptions('openCrew', options, optionNames)
  const { queue, waitMs = 60_000, heartbeatMs = 2_000, onNotice = () => {} } = options
  checkMs({ waitMs, heartbeatMs }, { least: 1 })
  const address = queueAddress(queue)
  await checkReachable(address)
  const session = await Session.open(address, { waitMs, heartbeatMs, onNotice })
  return {
    driver: async (driven) => {
      if (driven.workers < 1) throw new StoreError('INVALID_ARGUMENT', 'A crew needs at least one worker.')
      await signShared(driven.keys)
      return crewDriver(session, driven)
    },
    close: () => session.close(),
  }
}
