import {
  type Finding,
  type GeneralScenario,
  generalScenarios,
  type KnownStore,
  type Requirements,
  scenarioNamed,
  screen,
} from '@unikv/stores/knowledge'
import type { Section } from '../columns.ts'
import { screeningSections } from './facts.ts'
import type { Knowledge } from './knowledge.ts'

/** `unikv stores scenarios`: the general scenarios, and the facts that they rest on. */
export function scenariosSections(): Section[] {
  return [
    'General scenarios, which an evaluation takes by extends: NAME and changes as it likes:',
    {
      head: ['scenario', 'asks', 'measure', 'rests on'],
      rows: Object.entries(generalScenarios).map(([name, one]) => [
        name,
        one.stimulus,
        `${one.measure}, ${one.callers.toLocaleString('en')} callers`,
        factsText(one.requires),
      ]),
    },
    'unikv stores scenarios NAME tells the rest, and the stores that fall out before any measurement.',
  ]
}

/** `unikv stores scenarios NAME`: what it asks, and the stores that fall out. */
export function scenarioSections(name: string, { stores }: Knowledge): Section[] {
  const { stimulus, environment, response, measure, callers, requires } = scenarioNamed(name)
  const screened = screen(requires, stores)
  const passing = screened.filter(({ passes }) => passes).map(({ store }) => store)
  return [
    {
      head: [name, ''],
      rows: [
        ['stimulus', stimulus],
        ['environment', environment],
        ['response', response],
        ['measure', measure],
        ['callers', callers.toLocaleString('en')],
        ['rests on', factsText(requires)],
      ],
    },
    ...screeningSections(screened),
    `Not out: ${passing.join(', ') || 'none'}.`,
  ]
}

/** The general scenarios that a store falls out of, and those of which something is not known. */
export function fallenSections(store: KnownStore): Section[] {
  const found = Object.entries(generalScenarios).flatMap(([name, { requires }]) =>
    screen(requires, [store]).flatMap(({ findings }) => findings.map((one) => ({ name, ...one }))),
  )
  const of = (outcome: Finding['outcome']): typeof found => found.filter((one) => one.outcome === outcome)
  const rows = of('missed').map(({ name, fact, required, has = '' }) => [name, fact, required, has])
  const unknown = of('unknown').map(({ name, fact }) => `${name} (${fact})`)
  const not = rows.length === 0 ? ['It falls out of no general scenario for certain.'] : []
  return [
    ...not,
    ...(rows.length === 0 ? [] : [{ head: ['it falls out of', 'fact', 'required', 'it has'], rows }]),
    ...(unknown.length === 0 ? [] : [`Not known whether it falls out of: ${unknown.join(', ')}.`]),
  ]
}

/** The same as data. */
export function scenariosJson(name: string | undefined): string {
  const all: Readonly<Record<string, GeneralScenario>> =
    name === undefined ? generalScenarios : { [name]: scenarioNamed(name) }
  return `${JSON.stringify(all, null, 2)}\n`
}

/** Requirements in short, such as `tls, transactions: any`. */
function factsText(requires: Requirements): string {
  return Object.entries(requires)
    .map(([fact, required]) => (required === true ? fact : `${fact}: ${[required].flat().join(' and ')}`))
    .join(', ')
}
