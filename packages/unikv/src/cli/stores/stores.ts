import { StoreError } from '@unikv/core'
import type { StoreFacts, StoreVariant } from '@unikv/core/adapter'
import {
  capabilityRows,
  type FoundStore,
  findStores,
  type StoreQuery,
  shown,
  storeNamed,
  stores,
} from '@unikv/stores'
import type { KnownStore } from '@unikv/stores/knowledge'
import type { Section } from '../columns.ts'
import { comparedFacts, factSections, screeningSections } from './facts.ts'
import { type Knowledge, screenedBy, unopenedText } from './knowledge.ts'
import { fallenSections } from './scenarios.ts'

/** `unikv stores`: the stores that fit, one line each. */
export function storesSections(query: StoreQuery, knowledge: Knowledge): Section[] {
  const screened = screenedBy(knowledge)
  const fitting = findStores(stores, query)
  // Nothing is known of the store behind HTTP, so it fits where nothing is required.
  const isAnyGood = Object.keys(knowledge.requirements).length === 0
  const found = fitting.filter(({ store }) => screened.get(store.name)?.passes ?? isAnyGood)
  const own = withoutAdapter(knowledge, query)
  const beside = [...fitting.map(({ store }) => store), ...own].flatMap(
    ({ name }) => screened.get(name) ?? [],
  )
  return [
    ...(found.length === 0 ? [noneFits(query)] : foundSections(found)),
    ...screeningSections(beside),
    ...ownSections(own.filter(({ name }) => screened.get(name)?.passes)),
  ]
}

function noneFits({ with: asked = [] }: StoreQuery): string {
  const closest = asked.map((name) => `  ${name}: ${namesOf(findStores(stores, { with: [name] }))}`)
  return `No store fits.${closest.length === 0 ? '' : ` Each by itself:\n${closest.join('\n')}`}`
}

function ownSections(own: readonly KnownStore[]): Section[] {
  if (own.length === 0) return []
  return [`Without an adapter in unikv: ${own.map(({ name, title }) => `${name} (${title})`).join(', ')}.`]
}

function foundSections(found: readonly FoundStore[]): Section[] {
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
      'Scenarios for an evaluation: unikv stores scenarios.',
    ].join('\n'),
  ]
}

/** `unikv stores show NAME`: everything about one. */
export function storeSections(name: string, knowledge: Knowledge): Section[] {
  const known = storeNamed(knowledge.stores, name)
  const store = stores.find((one) => one.name === known.name)
  const adapter = store === undefined ? [unopenedText(known)] : adapterSections(store)
  return [...adapter, ...factSections(known), ...fallenSections(known)]
}

function adapterSections(store: StoreFacts): Section[] {
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
export function comparisonSections(names: readonly string[], knowledge: Knowledge): Section[] {
  const known = names.map((name) => storeNamed(knowledge.stores, name))
  if (new Set(known).size < 2)
    throw new StoreError('INVALID_ARGUMENT', 'compare needs at least two different stores')
  const chosen = known.flatMap(({ name }) => stores.find((store) => store.name === name) ?? [])
  return [
    ...(chosen.length < 2 ? [] : comparedCapabilities(chosen)),
    ...comparedFacts(known),
    'unikv stores show NAME has the other options, and the source and the day of each fact.',
  ]
}

function comparedCapabilities(chosen: readonly StoreFacts[]): Section[] {
  const rows = [...capabilitiesOf(chosen), ...costsOf(chosen)]
  const isSame = ([, ...values]: readonly string[]): boolean => new Set(values).size === 1
  const same = rows.filter(isSame).map(([row, value]) => `${row}: ${value}`)
  return [
    'Through unikv, with default options:',
    { head: ['', ...chosen.map(({ name }) => name)], rows: rows.filter((row) => !isSame(row)) },
    `The same in all: ${same.join('; ') || 'nothing'}.`,
  ]
}

/** The stores that fit as data. */
export function storesJson(query: StoreQuery, knowledge: Knowledge): string {
  const screened = screenedBy(knowledge)
  const found = findStores(stores, query).map(({ store, variant }) => ({ ...store, fits: variant }))
  const own = withoutAdapter(knowledge, query)
  const all = [...found, ...own].filter(({ name }) => screened.get(name)?.passes)
  return json(
    all.map((one) => ({ ...one, ...factsOf(one.name, knowledge), screened: screened.get(one.name) })),
  )
}

/** Stores by name as data, whole. */
export function storeJson(names: readonly string[], knowledge: Knowledge): string {
  const known = names.map((name) => storeNamed(knowledge.stores, name))
  return json(
    known.map((one) => ({ ...(stores.find((store) => store.name === one.name) ?? one), facts: one.facts })),
  )
}

function factsOf(name: string, knowledge: Knowledge): Pick<KnownStore, 'facts'> {
  return { facts: knowledge.stores.find((one) => one.name === name)?.facts ?? {} }
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

/** Stores that unikv does not open; none where it is asked what can be had through it. */
function withoutAdapter({ stores: known }: Knowledge, query: StoreQuery): readonly KnownStore[] {
  if (Object.values(query).some((asked) => asked !== undefined)) return []
  return known.filter(({ name }) => !stores.some((store) => store.name === name))
}
