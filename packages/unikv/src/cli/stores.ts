import { StoreError } from '@unikv/core'
import { formatSize } from '@unikv/workload'
import { capabilityRows, shown } from '../stores/capability-rows.ts'
import { features } from '../stores/features.ts'
import { type FoundStore, findStores, type StoreQuery, storeNamed } from '../stores/find-stores.ts'
import type { StoreFacts } from '../stores/store-facts.ts'
import { outOfScope, stores } from '../stores/stores.ts'
import { columns } from './columns.ts'

/** `unikv stores`: the stores that fit, one line each. */
export function storesText(query: StoreQuery): string {
  const found = findStores(stores, query)
  if (found.length === 0) {
    const { with: asked = [] } = query
    const closest = asked.map((name) => `  ${name}: ${namesOf(findStores(stores, { with: [name] }))}`)
    return `No store fits.${closest.length === 0 ? '' : ` Each by itself:\n${closest.join('\n')}`}\n`
  }
  const head = [
    'store',
    'with options',
    'conditions',
    'expiry',
    'scan',
    'counters',
    'value up to',
    'key up to',
    'survives',
    'driver',
  ]
  const others = Object.entries(outOfScope).map(([name, why]) => `${name}: ${why}.`)
  return `${columns(head, found.map(lineOf))}
Details: unikv stores show NAME. Side by side: unikv stores compare A B. By need: unikv stores --with conditionalWrite,ttl
${others.join('\n')}
`
}

/** `unikv stores show NAME`: everything about one. */
export function storeText(name: string): string {
  const store = storeNamed(stores, name)
  const { title, adapter, drivers, urls, variants, costs, consistency, testedOn, notes } = store
  const rows = Object.entries(capabilityRows).map(([row, valueOf]) => [
    row,
    [...new Set(variants.map(({ capabilities }) => shown(valueOf(capabilities))))].join(', '),
  ])
  const sections = [
    `${title} (${adapter}${drivers.length === 0 ? '' : `, by ${drivers.join(' or ')}`})`,
    `Tested on ${testedOn}.\n\n${urls.map((url) => `  ${url}`).join('\n')}`,
    columns(['capability', 'default, then with other options'], rows).trimEnd(),
    columns(
      ['options', 'that change them'],
      variants.map(({ options }) => [options || '(default)']),
    ).trimEnd(),
    columns(['operation', 'asks of the store'], Object.entries(costs)).trimEnd(),
    columns(['consistency', 'means'], Object.entries(consistency)).trimEnd(),
    notes.map((note) => `· ${note}`).join('\n'),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** `unikv stores compare A B`: what differs first, then what does not. */
export function comparisonText(names: readonly string[]): string {
  const chosen = names.map((name) => storeNamed(stores, name))
  if (new Set(chosen).size < 2)
    throw new StoreError('INVALID_ARGUMENT', 'compare takes two different stores, or more')
  const rows = [...capabilitiesOf(chosen), ...costsOf(chosen)]
  const isSame = ([, ...values]: readonly string[]): boolean => new Set(values).size === 1
  const head = ['', ...chosen.map(({ name }) => name)]
  const same = rows.filter(isSame).map(([row, value]) => `${row}: ${value}`)
  return `${columns(
    head,
    rows.filter((row) => !isSame(row)),
  )}
The same in all: ${same.join('; ') || 'nothing'}.
With default options; unikv stores show NAME has the others.
`
}

/** The same as data. */
export function storesJson(query: StoreQuery): string {
  return json(findStores(stores, query).map(({ store, variant }) => ({ ...store, fits: variant })))
}

/** Stores by name as data, whole. */
export function storeJson(names: readonly string[]): string {
  return json(names.map((name) => storeNamed(stores, name)))
}

/** What `--with` and `--without` take. */
export function featuresHelp(): string {
  return `\nFeatures for --with and --without:\n${Object.entries(features)
    .map(([name, { means }]) => `  ${name.padEnd(16)} ${means}`)
    .join('\n')}\n`
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

function lineOf({ store, variant: { options, capabilities } }: FoundStore): readonly string[] {
  const { conditionalWrite, ttl, scan, increment, maxValueBytes, maxKeyBytes, durability } = capabilities
  return [
    store.name,
    options || '(default)',
    shown(conditionalWrite),
    ttl === false ? '–' : ttl.kind,
    scan === false ? '–' : scan.order === 'bytes' ? 'in order' : 'unordered',
    shown(increment),
    formatSize(maxValueBytes),
    formatSize(maxKeyBytes),
    durability,
    store.drivers.join(', ') || 'none',
  ]
}

function namesOf(found: readonly FoundStore[]): string {
  return found.map(({ store }) => store.name).join(', ') || 'none'
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
