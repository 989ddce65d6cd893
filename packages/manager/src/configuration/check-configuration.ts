import { kindOf } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { Policy } from '@unikv/monitor/recorder'
import type { z } from 'zod'
import { withReferencesOf, withTyped } from '../lone-references.ts'
import { instead, wrong } from '../wrong.ts'
import type { MonitorConfiguration, StoreConfiguration, UsedConfiguration } from './configuration.ts'
import { namesAt, parsed } from './schema.ts'

/** A checked configuration. */
export type Checked = UsedConfiguration

/** The options of which a store has exactly one. */
const sources = ['url', 'store', 'from', 'mirror', 'fallback'] as const

/**
 * A configuration as it is used.
 *
 * @throws {StoreError} `INVALID_CONFIG`: one sentence with the place of the first mistake, what was found, and what is right
 */
export function checked(given: unknown): Checked {
  if (!isPlainObject(given)) throw wrong('', `it must be an object with \`stores\`, got ${kindOf(given)}`)
  const written = writtenOut((withTyped(given, ['monitor']) ?? given) as typeof given)
  for (const name of Object.keys(Object(written['stores']))) checkName(name)
  const { stores, monitor, dashboard } = shaped(written)
  if (Object.keys(stores).length === 0) throw wrong('stores', 'it is empty. Name at least one store')
  for (const [name, store] of Object.entries(stores)) checkStore(name, store)
  if (monitor !== undefined) checkCounted(monitor, stores)
  checkDecoded(dashboard, stores)
  return { stores, monitor, dashboard }
}

/** A configuration of the right shape. A variable is a number or a boolean where no text is taken. */
function shaped(written: unknown): Checked {
  const result = parsed(written)
  if (result.success) return withReferencesOf(written, result.data) as Checked
  const issue = result.error.issues.find(
    (one) => one.code === 'invalid_type' && ['number', 'int', 'boolean'].includes(one.expected),
  )
  const next = issue && withTyped(written, issue.path)
  if (next === undefined) throw firstOf(result.error, written)
  return shaped(next)
}

function writtenOut({ monitor, stores, ...others }: Record<string, unknown>): Record<string, unknown> {
  const asObject = (store: unknown): unknown => (typeof store === 'string' ? { url: store } : store)
  const entries = isPlainObject(stores)
    ? Object.entries(stores).map(([name, store]) => [name, asObject(store)] as const)
    : undefined
  return {
    ...others,
    stores: entries === undefined ? stores : Object.fromEntries(entries),
    ...(monitor === undefined || monitor === false ? {} : { monitor: monitor === true ? {} : monitor }),
  }
}

/** Before anything else: the schema would leave out `__proto__`. */
function checkName(name: string): void {
  if (/^[\w-]+$/.test(name) && name !== '__proto__') return
  throw wrong(`stores.${name}`, 'a name has letters, digits, _ and - only, such as users or session-cache')
}

function checkStore(name: string, store: StoreConfiguration): void {
  const path = `stores.${name}`
  const found = sources.filter((source) => store[source] !== undefined)
  if (found.length === 0) throw wrong(path, `it needs one of ${sources.join(', ')}`)
  if (found.length > 1) throw wrong(path, `it has ${found.join(' and ')}. Choose one`)
  if (store.dataset !== undefined && store.url === undefined)
    throw wrong(`${path}.dataset`, `it belongs to a URL, but this store has ${found[0]}`)
  if (store.needs !== undefined && store.url === undefined)
    throw wrong(`${path}.needs`, `it belongs to a URL, but this store has ${found[0]}`)
}

/** A policy about calls that are not counted would always hold. The recorder checks its other options. */
function checkCounted({ policies, keepIn }: MonitorConfiguration, stores: Checked['stores']): void {
  for (const [i, policy] of (Array.isArray(policies) ? policies : []).entries()) {
    const { store, operation } = Object(policy) as Partial<Policy>
    // Native calls have names of their own.
    if (typeof store !== 'string' || operation === 'native') continue
    const path = `monitor.policies[${i}].store`
    if (!Object.hasOwn(stores, store))
      throw wrong(path, `there is no store '${store}'. ${instead(store, Object.keys(stores))}`)
    if (store === keepIn || stores[store]?.monitored === false)
      throw wrong(path, `the calls of ${store} are not counted, so nothing can be said of them`)
  }
}

/** A decoder for a store that is not there would never be used. The dashboard checks its other options. */
function checkDecoded(dashboard: Checked['dashboard'], stores: Checked['stores']): void {
  for (const [i, { store }] of (dashboard?.decoders ?? []).entries())
    if (store !== undefined && !Object.hasOwn(stores, store))
      throw wrong(
        `dashboard.decoders[${i}].store`,
        `there is no store '${store}'. ${instead(store, Object.keys(stores))}`,
      )
}

/** The first mistake, of several. */
function firstOf({ issues: [first, ...others] }: z.ZodError, written: unknown): Error {
  // An option that is missing may be there under another name.
  const isMissing = first?.code === 'invalid_type' && valueAt(written, first.path) === undefined
  const misnamed = others.find(
    ({ code, path }) => code === 'unrecognized_keys' && path.length === (first?.path.length ?? 0) - 1,
  )
  const issue = (isMissing ? misnamed : undefined) ?? first
  const { path, code, message } = issue as z.core.$ZodIssue
  const place = placeOf(path)
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys
    return wrong(place, `there is no option '${name}' here. ${instead(name, namesAt(path))}`)
  }
  if (issue?.code === 'invalid_type')
    return wrong(place, `it must be ${article(issue.expected)}, got ${found(valueAt(written, path))}`)
  return wrong(place, code === 'too_small' ? 'the value is too small or empty' : message)
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  )
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part], value)
}

/** Some numbers are none, as far as an option is concerned. */
function found(value: unknown): string {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : kindOf(value)
}

/** `a string`; a record of zod is an object. */
function article(expected: string): string {
  const kind = expected === 'record' ? 'object' : expected === 'int' ? 'whole number' : expected
  return `${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind}`
}
