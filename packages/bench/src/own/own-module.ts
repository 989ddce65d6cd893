import { createHash } from 'node:crypto'
import { capabilityFlags, type StoreError } from '@unikv/core'
import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import { checkNotPipe, readWhole } from '@unikv/core/files'
import { isPlainObject } from '@unikv/core/platform'
import { importDefault, printable } from '../data/user-files.ts'
import { type ModuleReference, operationNames } from '../operations/mix.ts'
import { invalidArgument } from '../options/invalid.ts'
import type { OwnOperation, OwnWorkload } from './define-workload.ts'

/** A user's module, loaded and checked. */
export interface OwnModule {
  readonly workload: OwnWorkload<unknown>
  readonly reference: ModuleReference
}

/**
 * Load a module with own operations.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read, or exports something else
 */
export async function openOwnModule(file: string): Promise<OwnModule> {
  const sha256 = await hashOf(file)
  const workload = checkedModule(await importDefault(file, 'workload module', sha256), printable(file))
  const operations = Object.entries(workload.operations ?? {}).map(
    ([name, { needs = [], tellsStale = false }]) => ({ name, needs: [...needs], tellsStale }),
  )
  return { workload, reference: { file, sha256, operations } }
}

/**
 * Load it again, in another thread or on another machine.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if its text is another one
 */
export async function reopenOwnModule(reference: ModuleReference): Promise<OwnWorkload<unknown>> {
  const { file, sha256 } = reference
  const found = await openOwnModule(file)
  if (found.reference.sha256 === sha256) return found.workload
  const message = `The workload module ${printable(file)} is not the one that the run began with. Do not change it meanwhile, and use the same file everywhere.`
  throw invalidArgument(message)
}

async function hashOf(file: string): Promise<string> {
  const text = await contents(file).catch((cause: NodeJS.ErrnoException) => {
    const message = `The workload module ${printable(file)} cannot be read (${cause.code}).`
    throw invalidArgument(message, cause)
  })
  return createHash('sha256').update(text).digest('hex')
}

async function contents(file: string): Promise<Buffer> {
  await checkNotPipe(file)
  return readWhole(file)
}

const fields: OptionNames<OwnWorkload<unknown>> = {
  name: true,
  records: true,
  firstRecord: true,
  mix: true,
  keys: true,
  keyNames: true,
  values: true,
  scan: true,
  batch: true,
  check: true,
  phases: true,
  operations: true,
  setup: true,
  teardown: true,
  state: true,
  sessions: true,
}

const operationFields: OptionNames<OwnOperation<unknown>> = {
  weight: true,
  needs: true,
  tellsStale: true,
  run: true,
}
const features = [
  ...Object.keys(capabilityFlags),
  'scan',
  'orderedScan',
  'reverseScan',
  'ttl',
  'evicts',
  'sealed',
]

const greatestWeight = 1e9

const functions = ['setup', 'teardown', 'state', 'sessions'] as const

/** Words of thresholds and of the text of YCSB that an operation must not be called by. */
const reserved = new Set(['service', 'response', 'overall'])

/**
 * A workload out of the default export of a module.
 *
 * @param file the module in messages
 * @throws {StoreError} `INVALID_ARGUMENT` with the first thing that is wrong
 */
function checkedModule(found: unknown, file: string): OwnWorkload<unknown> {
  const wrong = (why: string): StoreError => invalidArgument(`The workload module ${file} ${why}`)
  if (!isPlainObject(found))
    throw wrong('must export a workload as its default: export default defineWorkload({ … }).')
  checkOptions('defineWorkload', found, fields, 'INVALID_ARGUMENT')
  for (const name of functions)
    if (found[name] !== undefined && typeof found[name] !== 'function')
      throw wrong(`has a \`${name}\` that is not a function.`)
  const { operations = {}, mix = {} } = found
  if (!isPlainObject(operations)) throw wrong('must hold its `operations` by name, in an object.')
  if (!isPlainObject(mix)) throw wrong('must hold the weights of its `mix` by name, in an object.')
  if (found['sessions'] !== undefined && (found['state'] !== undefined || Object.keys(mix).length > 0))
    throw wrong(
      'has `sessions`, which choose operations and hold states by themselves. Leave out `mix` and `state`.',
    )
  for (const [name, operation] of Object.entries(operations)) checkOperation(name, operation, wrong)
  if (!weightsOf(operations, mix).some((weight) => weight > 0))
    throw wrong('has no operation with a weight above 0. Give one in `operations` or in `mix`.')
  return found
}

function checkOperation(name: string, operation: unknown, wrong: (why: string) => StoreError): void {
  checkName(name, wrong)
  const hint = `Write it like ${name}: { weight: 1, run: async ({ kv }) => … }.`
  if (!isPlainObject(operation)) throw wrong(`has an operation ${name} that is not an object. ${hint}`)
  checkOptions(`operation ${name}`, operation, operationFields, 'INVALID_ARGUMENT')
  const { weight, needs, tellsStale, run } = operation
  if (typeof run !== 'function')
    throw wrong(`has an operation ${name} whose \`run\` is not a function. ${hint}`)
  if (!(typeof weight === 'number' && weight >= 0))
    throw wrong(`has an operation ${name} whose \`weight\` is not a number of 0 or more.`)
  if (tellsStale !== undefined && typeof tellsStale !== 'boolean')
    throw wrong(`has an operation ${name} whose \`tellsStale\` is neither true nor false.`)
  if (weight > greatestWeight)
    throw wrong(
      `has an operation ${name} whose \`weight\` is above 1,000,000,000. Only the ratio of weights counts.`,
    )
  if (needs !== undefined && !(Array.isArray(needs) && needs.every((one) => typeof one === 'string')))
    throw wrong(`has an operation ${name} whose \`needs\` is not a list of features, such as ['increment'].`)
  const unknown = (needs as readonly string[] | undefined)?.find((need) => !features.includes(need))
  if (unknown !== undefined)
    throw wrong(
      `has an operation ${name} that needs '${unknown}', which is not a feature. Features are ${features.join(', ')}.`,
    )
}

function checkName(name: string, wrong: (why: string) => StoreError): void {
  if (!/^[A-Za-z][\w-]{0,39}$/.test(name))
    throw wrong(
      `has an operation '${name}': a name begins with a letter, and has up to 40 letters, digits, - and _.`,
    )
  if (operationNames.some((one) => one === name.toLowerCase()))
    throw wrong(`has an operation ${name}, which is the name of a built-in one. Choose another name.`)
  if (reserved.has(name.toLowerCase()))
    throw wrong(`has an operation ${name}, a word that thresholds and reports use. Choose another name.`)
}

function weightsOf(operations: object, mix: object): readonly number[] {
  return [...Object.values(operations).map(({ weight }) => weight), ...Object.values(mix)]
}
