import {
  type AnyLayer,
  type Bytes,
  type Capabilities,
  type Layer,
  layer,
  type Mutation,
  type Store,
  writePrepared,
} from '@unikv/core'
import {
  type AnyStack,
  any,
  type BeginJoint,
  jointRecords,
  layersOf,
  lostWrites,
  ms,
  needed,
  type OptionsOf,
  readOptions,
  StoreError,
} from '@unikv/core/adapter'

import { type Log, type LogStore, logIn } from '../log/log.ts'
import { Changing, maxValueBytesOver } from './changing.ts'
import { Preparing } from './preparing.ts'
import { Reading } from './reading.ts'
import { Settling } from './settling.ts'
import { steps } from './step.ts'

const table = {
  /** A KeyValue of JSON that keeps what became of transactions. All processes name the same one. */
  log: needed(any<LogStore>()),
  /** How long a transaction may stay undecided until who waits for it aborts it, in milliseconds. @default 5,000 */
  leaseMs: ms(5_000),
}

/** Options of `transactional`. */
export interface TransactionalOptions extends OptionsOf<typeof table> {}

/** The capabilities that `transactional` changes. */
export interface TransactionalCapabilities {
  readonly deltas: false
  readonly sync: 'none'
  /** It would leave the version, by which a transaction finds out that a record was changed. */
  readonly touch: false
}

/** The layer `transactional`, as its type: a store below needs conditions. */
export interface TransactionalLayer
  extends Layer<Bytes, Bytes, TransactionalCapabilities, { readonly conditionalWrite: true }> {}

/** The layer, the name by which it is found. */
const layerName = 'transactional'

/** The log of each of these layers. */
const logOf = new WeakMap<object, Log>()

/**
 * The layer, with that by which databases above begin transactions.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function layerOf(
  options: TransactionalOptions,
  begin: (kv: AnyStack) => BeginJoint,
): TransactionalLayer {
  const { leaseMs, log: store } = readOptions('transactional', table, options)
  const log = logIn(store)
  const made = layer<Bytes, Bytes, TransactionalCapabilities, { readonly conditionalWrite: true }>(
    layerName,
    {
      inner: 'bytes',
      outer: 'bytes',
      needs: { conditionalWrite: true },
      capabilities: narrowed,
      facts: jointRecords.with(begin),
      wrap: (inner) => verbsOver(inner, log, leaseMs),
    },
  )
  logOf.set(made, log)
  return made
}

/** The log of the layer next to the store of a stack; `undefined`: there is no such layer. */
export function logBelow(kv: AnyStack): Log | undefined {
  const layers = layersOf(kv).map(({ layer }) => layer)
  const at = layers.findIndex((one) => logOf.has(one))
  return at !== -1 && layers.slice(at + 1).every(passesAll) ? logOf.get(layers[at] as object) : undefined
}

/**
 * The log that the layer `transactional` of a KeyValue names, for tools that get it from a configuration; `undefined`: it has no such
 * layer next to its store.
 */
export function transactionLog(kv: AnyStack): LogStore | undefined {
  return logBelow(kv)?.store
}

/** Whether a layer gives each call to the store below as it is, as one that counts does. */
function passesAll({ name, plan }: AnyLayer): boolean {
  return plan.inner === 'any' && name !== 'cache' && lostWrites.of(plan.facts) === undefined
}

function verbsOver(
  inner: Store<Bytes>,
  log: Log,
  leaseMs: number,
): Pick<Store<Bytes>, 'read' | 'write' | 'scan'> {
  checkBelow(inner)
  const settling = new Settling(inner, log, leaseMs)
  const reading = new Reading(inner, settling)
  const changing = new Changing(inner, settling)
  const preparing = new Preparing(inner, settling)
  return {
    read: (reads, call) => reading.read(reads, call),
    write: (mutations, call) => {
      const step = steps.of(call.facts)
      if (step?.kind === 'forget') return mutations.map(() => ({ version: undefined }))
      const prepared = mutations.map((mutation) => tooLong(mutation, inner) ?? mutation)
      const write: Store<Bytes>['write'] = (ready) => {
        if (step === undefined) return changing.write(ready, call)
        // One that is too long is refused below, and so are the others.
        if (step.kind === 'together') return preparing.together(step, ready, call)
        return preparing.write(step.attempt, ready, call)
      }
      return writePrepared({ write, capabilities: narrowed(inner.capabilities) }, prepared, call)
    },
    scan: (range, call) => reading.scan(range, call),
  }
}

/** A record has room for its present value and the next one. */
function tooLong(mutation: Mutation<Bytes>, { name, capabilities }: Store<Bytes>): StoreError | undefined {
  if (mutation.type !== 'set') return undefined
  const most = maxValueBytesOver(capabilities.maxValueBytes)
  if (mutation.value.length <= most) return undefined
  const message = `The value has ${mutation.value.length} bytes; a record of ${name} that takes part in transactions allows ${most}.`
  return new StoreError('VALUE_TOO_LARGE', message, { key: mutation.key, store: name })
}

function narrowed(inner: Capabilities): Capabilities {
  const { batch, maxValueBytes } = inner
  return {
    ...inner,
    batch: { ...batch, atomicity: 'none' },
    deltas: false,
    maxValueBytes: maxValueBytesOver(maxValueBytes),
    sync: 'none',
    touch: false,
  }
}

function checkBelow({ name, capabilities }: Store<Bytes>): void {
  const why = [
    capabilities.evicts && 'it may drop records by itself, and with them what a transaction has prepared',
    capabilities.isolation === 'eventual' &&
      !capabilities.consistency.includes('strong') &&
      'its reads may be old, and its copies may take two writes of one version',
  ].find((reason) => reason !== false)
  if (why === undefined) return
  throw new StoreError('INVALID_CONFIG', `${name} cannot take part in transactions: ${why}.`, { store: name })
}
