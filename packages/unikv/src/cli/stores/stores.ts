import { StoreError } from '@unikv/core'
import type { StoreFacts, StoreVariant } from '@unikv/core/adapter'
import {
  capabilityRows,
  type FoundStore,
  findStores,
  outOfScope,
  type StoreQuery,
  shown,
  storeNamed,
  stores,
} from '@unikv/stores'
import type { Section } from '../columns.ts'

/** `unikv stores`: the stores that fit, one line each. */
export function storesSections(query: StoreQuery): Section[] {
  const found = findStores(stores, query)
  if (found.length === 0) {
    const { with: asked = [] } = query
    const closest = asked.map((name) => `  ${name}: ${namesOf(findStores(stores, { with: [name] }))}`)
    return [`No store fits.${closest.length === 0 ? '' : ` Each by itself:\n${closest.join('\n')}`}`]
  }
  const hasOptions = found.some(({ variant }) => variant.options !== '')
  const head = [
    'store',
    'conditions',
    'expiry',
    'scan',
    'counters',
    'survives',
    'value MiB',
    'key bytes',
    'driver',
  ]
  const others = Object.entries(outOfScope).map(([name, why]) => `${name}: ${why}.`)
  return [
    {
      head: hasOptions ? [...head, 'with options'] : head,
      rows: found.map((one) =>
        hasOptions ? [...lineOf(one), one.variant.options || '(default)'] : lineOf(one),
      ),
      numbers: [6, 7],
    },
    [
      'Details: unikv stores show NAME.',
      'Side by side: unikv stores compare A B.',
      'By feature: unikv stores --with conditionalWrite,ttl',
    ].join('\n'),
    others.join('\n'),
  ]
}

/** `unikv stores show NAME`: everything about one. */
export function storeSections(name: string): Section[] {
  const store = storeNamed(stores, name)
  const { title, adapter, drivers, urls, variants, costs, consistency, sources, testedOn, notes } = store
  const [first, ...others] = variants as readonly [StoreVariant, ...StoreVariant[]]
  const sections: Section[] = [
    `${title} (${adapter}${drivers.length === 0 ? '' : `, by ${drivers.join(' or ')}`})`,
    `Tested on ${testedOn}.`,
    urls.join('\n'),
    {
      head: ['capability', 'by default'],
      rows: Object.entries(capabilityRows).map(([row, valueOf]) => [row, shown(valueOf(first.capabilities))]),
    },
    {
      head: ['with the option', 'it differs in'],
      rows: others.map((one) => [one.options, changes(first, one)]),
    },
    { head: ['operation', 'requests to the store'], rows: Object.entries(costs) },
    { head: ['consistency', 'means'], rows: Object.entries(consistency) },
    notes.map((note) => `· ${note}`).join('\n'),
    sources.join('\n'),
  ]
  return sections.filter((section) =>
    typeof section === 'string' ? section !== '' : section.rows.length > 0,
  )
}

/** `unikv stores compare A B`: what differs first, then what does not. */
export function comparisonSections(names: readonly string[]): Section[] {
  const chosen = names.map((name) => storeNamed(stores, name))
  if (new Set(chosen).size < 2)
    throw new StoreError('INVALID_ARGUMENT', 'compare needs at least two different stores')
  const rows = [...capabilitiesOf(chosen), ...costsOf(chosen)]
  const isSame = ([, ...values]: readonly string[]): boolean => new Set(values).size === 1
  const same = rows.filter(isSame).map(([row, value]) => `${row}: ${value}`)
  return [
    { head: ['', ...chosen.map(({ name }) => name)], rows: rows.filter((row) => !isSame(row)) },
    `The same in all: ${same.join('; ') || 'nothing'}.`,
    'With default options; unikv stores show NAME has the others.',
  ]
}

/** The stores that fit as data. */
export function storesJson(query: StoreQuery): string {
  return json(findStores(stores, query).map(({ store, variant }) => ({ ...store, fits: variant })))
}

/** Stores by name as data, whole. */
export function storeJson(names: readonly string[]): string {
  return json(names.map((name) => storeNamed(stores, name)))
}

/** Capabilities in which a variant differs from the default options. */
function changes(first: StoreVariant, { capabilities }: StoreVariant): string {
  const found = Object.entries(capabilityRows).flatMap(([row, valueOf]) => {
    const value = shown(valueOf(capabilities))
    return value === shown(valueOf(first.capabilities)) ? [] : [`${row}: ${value}`]
  })
  return found.join(', ') || 'no capability'
}

function capabilitiesOf(chosen: readonly StoreFacts[]): readonly (readonly string[])[] {
  return Object.entries(capabilityRows).map(([row, valueOf]) => [
    row,
    ...chosen.map(({ variants: [variant] }) =>
      variant === undefined ? '' : shown(valueOf(variant.capabilities)),
    ),
  ])
}

function costsOf(chosen: readonly StoreFacts[]): readonly (readonly string[])[] {
  const operations = ['read', 'readMany', 'set', 'setMany', 'conditionalSet', 'delete', 'scanPage'] as const
  return operations.map((operation) => [operation, ...chosen.map(({ costs }) => costs[operation])])
}

function lineOf({ store, variant: { capabilities } }: FoundStore): readonly string[] {
  const { conditionalWrite, ttl, scan, increment, maxValueBytes, maxKeyBytes, durability } = capabilities
  return [
    store.name,
    shown(conditionalWrite),
    ttl === false ? '–' : ttl.kind,
    scan === false ? '–' : scan.order === 'bytes' ? 'in order' : 'unordered',
    shown(increment),
    durability,
    mebibytes(maxValueBytes),
    maxKeyBytes.toLocaleString('en'),
    store.drivers.join(', ') || 'none',
  ]
}

/** In one unit for all, and rounded down: a limit must not look larger than it is. */
function mebibytes(bytes: number): string {
  const value = bytes / 2 ** 20
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return (Math.floor(value * 10 ** digits) / 10 ** digits).toFixed(digits)
}

function namesOf(found: readonly FoundStore[]): string {
  return found.map(({ store }) => store.name).join(', ') || 'none'
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
