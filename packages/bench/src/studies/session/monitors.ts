import type { Bytes, Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { AbortController, isPlainObject, pause, performance } from '@unikv/core/platform'
import { messageOf } from '../../options/invalid.ts'
import { formatLength } from '../../report/words.ts'
import { type EndedCommand, runCommand } from '../../run/run-command.ts'
import type { JobMonitor } from './config.ts'
import { CounterRates } from './counter-rates.ts'
import type { MonitorResult } from './result.ts'

/** Numbers by the names of their series, or why there are none. */
type Reading = ReadonlyMap<string, number> | string

const wanted = 'it must print a number, or a JSON object of numbers'

/** The numbers that the monitor `name` printed: its own name stands for a bare number, and goes before the names of others. */
export function readingOf(name: string, printed: string): Reading {
  if (printed === '') return `printed nothing: ${wanted}`
  const data = parsed(printed)
  if (isNumber(data)) return new Map([[name, data]])
  if (!isPlainObject(data)) return `printed ${shortened(printed)}: ${wanted}`
  const fields = Object.entries(data)
  if (fields.length === 0) return `printed an empty object: ${wanted}`
  const wrong = fields.find(([, value]) => !isNumber(value))
  if (wrong !== undefined) return `printed ${shortened(JSON.stringify(wrong[1]))} as ${wrong[0]}: ${wanted}`
  return new Map(fields.map(([key, value]) => [`${name} ${key}`, value as number]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function shortened(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 60 || line !== text ? `'${line.slice(0, 60)}…'` : `'${line}'`
}

/** Where a run is watched. */
interface Watched {
  /** Ends the run early. */
  readonly signal?: AbortSignal | undefined
  /** The store whose servers are asked by monitors without a command. */
  readonly store?: Pick<Store<Bytes>, 'statistics'> | undefined
}

/** Time and commands, as far as monitors need them. */
export interface MonitorTools {
  readonly run: typeof runCommand
  readonly pause: typeof pause
  now(): number
}

const system: MonitorTools = { run: runCommand, pause, now: () => performance.now() }

/** Monitors of one run: each runs its command over and over while the run goes on, one turn after the other. */
export class Monitors {
  readonly #parameters: Readonly<Record<string, string>>
  readonly #tools: MonitorTools
  readonly #over = new AbortController()
  readonly #store: Watched['store']
  readonly #counters = new Map<JobMonitor, CounterRates>()
  readonly #startedAt: number
  readonly #watched: Promise<readonly MonitorResult[]>

  constructor(
    monitors: readonly JobMonitor[],
    parameters: Readonly<Record<string, string>>,
    { signal, store }: Watched = {},
    tools: MonitorTools = system,
  ) {
    this.#parameters = parameters
    this.#tools = tools
    this.#store = store
    this.#startedAt = tools.now()
    const stop = (): void => this.#over.abort()
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted === true) stop()
    const watched = Promise.all(monitors.map((monitor) => this.#watch(monitor)))
    this.#watched = watched.finally(() => signal?.removeEventListener('abort', stop))
  }

  /** The run is over: commands that are under way are ended, and do not count. Resolves when they have ended. */
  async end(): Promise<readonly MonitorResult[]> {
    this.#over.abort()
    return this.#watched
  }

  async #watch(monitor: JobMonitor): Promise<MonitorResult> {
    const { everyMs, name } = monitor
    const series = new Map<string, [atMs: number, value: number][]>()
    const log = { readings: 0, failures: 0, problem: null as string | null }
    for (let turn = 0; !this.#over.signal.aborted; ) {
      const beganAt = this.#elapsed()
      const reading = await this.#read(monitor)
      if (typeof reading === 'string') {
        log.failures++
        log.problem ??= reading
      } else if (reading !== undefined) {
        log.readings++
        for (const [key, value] of reading) {
          const points = series.get(key) ?? []
          series.set(key, points)
          points.push([beganAt, value])
        }
      }
      turn = Math.max(turn + 1, Math.floor(this.#elapsed() / everyMs))
      await this.#tools.pause(Math.max(0, turn * everyMs - this.#elapsed()), { signal: this.#over.signal })
    }
    return { name, ...log, series: [...series].map(([key, points]) => ({ name: key, points })) }
  }

  /** One turn. `undefined`: the run ended first. */
  async #read(monitor: JobMonitor): Promise<Reading | undefined> {
    const { name, command, everyMs } = monitor
    if (command === undefined) return this.#ask(monitor)
    const turn = new AbortController()
    const stop = (): void => turn.abort()
    this.#over.signal.addEventListener('abort', stop)
    void this.#tools.pause(everyMs, { signal: turn.signal }).then(stop)
    const ended = await this.#tools.run(command, { input: this.#parameters, signal: turn.signal })
    const isStopped = turn.signal.aborted
    this.#over.signal.removeEventListener('abort', stop)
    stop()
    if (ended.problem === undefined) return readingOrComplaint(name, ended)
    if (this.#over.signal.aborted) return undefined
    const problem = isStopped ? `did not end within ${formatLength(everyMs)} and was killed` : ended.problem
    return withComplaint(problem, ended)
  }

  /** The statistics of the store; counters from the second turn on, as their rise in a second. */
  async #ask(monitor: JobMonitor): Promise<Reading | undefined> {
    const { name, everyMs } = monitor
    const rates = this.#counters.get(monitor) ?? new CounterRates(name)
    this.#counters.set(monitor, rates)
    const call = callOptions({ deadlineAt: performance.now() + everyMs, signal: this.#over.signal })
    try {
      const told = await this.#store?.statistics?.(call)
      return told === undefined ? undefined : rates.reading(told, this.#elapsed())
    } catch (error) {
      return this.#over.signal.aborted ? undefined : `failed: ${shortened(messageOf(error))}`
    }
  }

  #elapsed(): number {
    return this.#tools.now() - this.#startedAt
  }
}

function readingOrComplaint(name: string, ended: EndedCommand): Reading {
  const reading = readingOf(name, ended.printed)
  return typeof reading === 'string' ? withComplaint(reading, ended) : reading
}

function withComplaint(problem: string, { complaint }: EndedCommand): string {
  return complaint === '' ? problem : `${problem}; standard error: ${complaint}`
}
