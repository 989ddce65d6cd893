import type { Awaitable } from '@unikv/core'
import type { Random } from '@unikv/test-kit/schedules'
import { FileDataset } from '../../src/dataset.ts'
import type { FileSystem } from '../../src/disk/file-system.ts'
import type { Life, Processes } from '../../src/writers/owner.ts'
import type { ModelDisk } from './model-disk.ts'

/** Where the dataset is on a modelled disk. */
const directory = '/home/data'

/** A call of the file system that waits for its turn. */
interface Waiting {
  readonly process: number
  readonly run: () => void
}

/**
 * Processes over one modelled disk that take turns call by call, in an order that a seed decides. A process can
 * be killed between any two calls; the power can be cut between any two calls.
 */
export class Simulation {
  readonly #disk: ModelDisk
  readonly #random: Random
  readonly #living = new Set<number>()
  readonly #boot = (++boots).toString(16)
  #waiting: Waiting[] = []
  /** Calls that were done. */
  calls = 0

  constructor(disk: ModelDisk, random: Random) {
    this.#disk = disk
    this.#random = random
  }

  /** Start a process with a store of its own. */
  start(clock: () => number = () => 0): { readonly id: number; readonly dataset: FileDataset } {
    const id = ++processes
    this.#living.add(id)
    return {
      id,
      dataset: openDataset(
        this.#turns(id),
        processesOf(id, this.#boot, (other) => this.#living.has(other)),
        clock,
      ),
    }
  }

  /** End a process between two calls. */
  kill(id: number): void {
    this.#living.delete(id)
    this.#waiting = this.#waiting.filter(({ process }) => process !== id)
  }

  /** Do one waiting call. `false`: nobody waits. */
  async turn(): Promise<boolean> {
    if (this.#waiting.length === 0) await settle()
    if (this.#waiting.length === 0) return false
    const [next] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1) as [Waiting]
    this.calls++
    next.run()
    await settle()
    return true
  }

  /** The disk as one process sees it: each call waits for its turn. */
  #turns(process: number): FileSystem {
    const later =
      <A extends unknown[], T>(call: (...parameters: A) => Awaitable<T>) =>
      (...parameters: A) =>
        new Promise<T>((resolve) => {
          if (!this.#living.has(process)) return
          // What it throws becomes a rejection.
          this.#waiting.push({ process, run: () => resolve((async () => call(...parameters))()) })
        })
    const { blocks: _, ...calls } = this.#disk.system
    const slow = Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [name, later(call as () => Awaitable<unknown>)]),
    )
    return { ...(slow as unknown as FileSystem), blocks: false }
  }
}

/** A store over a disk that answers at once, for looking at what is there. */
export function inspector(disk: ModelDisk, clock: () => number = () => 0): FileDataset {
  return openDataset(
    disk.system,
    processesOf(++processes, (++boots).toString(16), () => false),
    clock,
  )
}

function openDataset(system: FileSystem, processes: Processes, clock: () => number): FileDataset {
  const settings = { directory, dataset: 'unikv', durability: 'flushed', sync: false, prepare: true } as const
  return new FileDataset({ ...settings, maxInFlight: 8, clock, name: 'file' }, system, processes)
}

/** Ids are never used again, so that one of an earlier simulation is dead in a later one. */
let processes = 0
let identities = 0
let boots = 0

/** Identities `number-0-boot-0-…`, alive as long as the simulation says so. */
function processesOf(id: number, boot: string, isAlive: (id: number) => boolean): Processes {
  const idOf = (identity: string) => Number.parseInt(identity, 16)
  return {
    boot,
    unseenMs: 60_000,
    identity: () => `${id.toString(16)}-0-${boot}-0-${(++identities).toString(16).padStart(16, '0')}`,
    life: (identity): Life => (isAlive(idOf(identity)) || idOf(identity) === id ? 'alive' : 'dead'),
    isHere: (identity) => idOf(identity) === id,
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
