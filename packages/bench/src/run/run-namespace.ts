import { hostname } from 'node:os'
import { performance as perf } from 'node:perf_hooks' // oxlint-disable-line no-restricted-imports -- for the start of the process
import { pid } from 'node:process'
import { type Bytes, type KeyValue, keyValue, type Store, StoreError, supports } from '@unikv/core'
import { callOptions, isUserKey, namespacePrefix, nestedPrefix } from '@unikv/core/adapter'
import { performance, wallClock } from '@unikv/core/platform'
import { clearNativeGroups } from '@unikv/entity'
import { z } from 'zod'
import type { Plain } from '../options/option.ts'
import { isAlive } from './machine.ts'

/** Namespace of everything that the generator keeps in a store. */
export const benchNamespace = 'unikv.bench'

/** A run that says nothing for so long, on a machine whose processes cannot be asked, is taken for dead. */
const ABANDONED_AFTER_MS = 15 * 60_000

const markerSchema = z.object({
  host: z.string(),
  pid: z.number(),
  startedAt: z.number(),
  seenAt: z.number(),
})

/** The marker that a run keeps in a store while it works, so that the next run can clean up after a crash. */
type Marker = Plain<typeof markerSchema>

/** How to open a namespace of a run. */
export interface RunNamespaceOptions {
  /** Distinct for every run: name of the namespace inside `benchNamespace`. */
  readonly runId: string
  readonly timeoutMs: number
  /** Go on if the store holds other records. They are never touched. */
  readonly allowNonEmpty: boolean
  /** The run removes its records by itself, so the store need not list them. @default false */
  readonly removesRecords?: boolean | undefined
}

/**
 * A run's own namespace in one store. Opened before anything is written; a marker is set first and removed last,
 * so the next run finds and deletes everything that a killed run left behind.
 */
export class RunNamespace {
  /** The namespace that the run may fill. */
  readonly keys: KeyValue<string, Bytes>
  /** Where that namespace is in the store, from the outermost one on. */
  readonly path: readonly string[]
  /** Runs found abandoned, and deleted. */
  readonly leftovers: readonly string[]
  readonly #markers: KeyValue<string, Bytes>
  readonly #runId: string
  readonly #startedAt: number = wallClock()
  readonly #isListed: boolean

  private constructor(
    markers: KeyValue<string, Bytes>,
    runId: string,
    { leftovers, isListed }: { readonly leftovers: readonly string[]; readonly isListed: boolean },
  ) {
    this.#isListed = isListed
    this.#markers = markers
    this.#runId = runId
    this.keys = markers.namespace(runId)
    this.path = [benchNamespace, runId]
    this.leftovers = leftovers
  }

  /**
   * @throws {StoreError} `INVALID_CONFIG` if the store holds other records and that was not allowed, or if it
   * cannot list what it holds
   */
  static async open(store: Store<Bytes>, options: RunNamespaceOptions): Promise<RunNamespace> {
    const markers = keyValue(store, [], { timeoutMs: options.timeoutMs, coalesce: false }).namespace(
      benchNamespace,
    )
    const isListed = options.removesRecords !== true || supports(markers, 'scan')
    const leftovers = isListed ? await removeAbandoned(markers) : []
    if (isListed && !options.allowNonEmpty && (await holdsOtherRecords(store, options.timeoutMs)))
      throw notEmpty(store)
    const namespace = new RunNamespace(markers, options.runId, { leftovers, isListed })
    await namespace.heartbeat()
    return namespace
  }

  /** Tell other machines that this run still works. */
  async heartbeat(): Promise<void> {
    const marker: Marker = { host: hostname(), pid, startedAt: this.#startedAt, seenAt: wallClock() }
    await this.#markers.set(this.#runId, Buffer.from(JSON.stringify(marker)))
  }

  /** Delete everything that this run wrote, and nothing else. */
  async remove(): Promise<void> {
    if (this.#isListed) await clearNamespace(this.keys)
    await this.#markers.delete(this.#runId)
  }
}

async function removeAbandoned(markers: KeyValue<string, Bytes>): Promise<string[]> {
  if (!supports(markers, 'scan')) throw cannotList(markers.name)
  const abandoned = new Set<string>() // a key may appear twice in a scan
  for await (const [runId, { value }] of markers.entries()) {
    if (isAbandoned(value, wallClock())) abandoned.add(runId)
  }
  for (const runId of abandoned) {
    await clearNamespace(markers.namespace(runId))
    await clearNativeGroups(markers.namespace(runId), { all: true })
    await markers.delete(runId)
  }
  return [...abandoned]
}

/** Delete everything in a namespace. */
export async function clearNamespace(keys: KeyValue<string, Bytes>): Promise<void> {
  if (!supports(keys, 'scan')) throw cannotList(keys.name)
  await keys.clear({ all: true })
}

function isAbandoned(value: Bytes, now: number): boolean {
  const marker = parseMarker(value)
  if (marker === undefined) return true
  // a container starts every process under the same id: a marker older than this process is not its own
  if (marker.host === hostname() && marker.pid === pid) return marker.startedAt < perf.timeOrigin
  if (marker.host === hostname()) return !isAlive(marker.pid)
  return now - marker.seenAt > ABANDONED_AFTER_MS
}

function parseMarker(value: Bytes): Marker | undefined {
  try {
    return markerSchema.parse(JSON.parse(Buffer.from(value).toString('utf8')))
  } catch {
    return undefined // cut short by a crash: no run is at work there
  }
}

/** Whether there is a user record outside of what benchmarks keep. */
async function holdsOtherRecords(store: Store<Bytes>, timeoutMs: number): Promise<boolean> {
  const own = [namespacePrefix([benchNamespace]), nestedPrefix([benchNamespace])]
  const range = { prefix: '', pageSize: 100, values: false }
  for await (const page of store.scan(range, callOptions({ deadlineAt: performance.now() + timeoutMs }))) {
    const isOther = (key: string): boolean => isUserKey(key) && !own.some((prefix) => key.startsWith(prefix))
    if (page.entries.some(({ key }) => isOther(key))) return true
  }
  return false
}

function notEmpty(store: Store<Bytes>): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    `${store.name} holds records already. Name an empty dataset, or allow it: the records are not touched, but share the store with the measurement.`,
    { store: store.name },
  )
}

function cannotList(name: string): StoreError {
  return new StoreError(
    'UNSUPPORTED',
    `${name} cannot list its keys, so what a run leaves behind could not be found.`,
  )
}
