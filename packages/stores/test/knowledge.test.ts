import { describe, expect, test } from 'vitest'
import { withFacts } from '../src/knowledge/facts-file.ts'
import type { KnownStore } from '../src/knowledge/known-store.ts'
import { knownStores } from '../src/knowledge/known-stores.ts'
import { requirementsIn } from '../src/knowledge/requirements.ts'
import { generalScenarios, scenarioNamed } from '../src/knowledge/scenarios.ts'
import { type Requirements, screen } from '../src/knowledge/screen.ts'
import { table } from '../src/table.ts'
import { tactics } from './pasta-table.ts'

/** The facts of a store as a file has them. */
const written = ({ name, title, facts }: KnownStore): unknown => ({ stores: { [name]: { title, facts } } })

test.each(knownStores.map((store) => [store.name, store] as const))(
  'each fact about %s has a sentence, a page and a day',
  (_name, store) => {
    expect(withFacts(written(store), 'base')).toEqual(knownStores)
    for (const { says, source, checked } of Object.values(store.facts)) {
      expect(says).toMatch(/^[A-Za-z].{4,118}\.$/)
      expect(source).toMatch(/^https:\/\/[^ ]+$/)
      expect(Date.parse(checked)).toBeGreaterThan(Date.parse('2026-01-01'))
    }
  },
)

test('there are facts about every store that a URL opens, and that holds records itself; others say why none opens them', () => {
  const own = Object.keys(table).filter((name) => name !== 'http')
  expect(knownStores.flatMap(({ name, unopened }) => (unopened === undefined ? [name] : []))).toEqual(own)
  const others = knownStores.filter(({ unopened }) => unopened !== undefined)
  expect(others.map(({ name }) => name)).toEqual([...new Set(others.map(({ name }) => name))])
  for (const { name, unopened } of others) {
    expect(own).not.toContain(name)
    expect(unopened).toMatch(/^[a-z].{10,90}[^.]$/)
  }
})

test('every cell of the table of PaSTA is answered', () => {
  const stores = ['mongodb', 'cassandra', 'couchdb', 'elasticsearch', 'riak', 'hbase', 'redis']
  for (const name of stores) {
    const facts = knownStores.find((store) => store.name === name)?.facts ?? {}
    expect([name, tactics.filter((fact) => facts[fact] === undefined)]).toEqual([name, []])
  }
})

describe('general scenarios', () => {
  test.each(Object.entries(generalScenarios))('%s rests on facts that decide', (_name, { requires }) => {
    expect(requirementsIn(requires, 'scenario')).toEqual(requires)
    const screened = screen(requires, knownStores)
    expect(screened.some(({ passes }) => passes)).toBe(true)
    expect(screened.some(({ passes }) => !passes)).toBe(true)
  })

  test.each([
    ['growth', 'neo4j', false],
    ['growth', 'orientdb', false],
    ['growth', 'riak', true],
    ['fresh-read', 'riak', false],
    ['fresh-read', 'mongodb', true],
    ['all-or-nothing', 'elasticsearch', false],
    ['all-or-nothing', 'neo4j', true],
    ['low-latency-read', 'lmdb', false],
  ])('%s: %s passes: %j', (name, store, passes) => {
    const own = knownStores.filter((one) => one.name === store)
    expect(screen(scenarioNamed(name).requires, own)).toMatchObject([{ store, passes }])
  })

  test('that are not known are told with the nearest name', () => {
    const wrong = (message: string) => expect.objectContaining({ code: 'INVALID_ARGUMENT', message })
    expect(() => scenarioNamed('low-latency-reads')).toThrow(
      wrong("there is no general scenario 'low-latency-reads'. Did you mean 'low-latency-read'?"),
    )
    expect(() => scenarioNamed('toString')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/'toString'\. The names are low-latency-read, /),
      }),
    )
  })
})

describe('screening', () => {
  const screened = (requirements: Requirements, name: string) =>
    screen(requirements, knownStores).find(({ store }) => store === name)

  test('says what is required, what the store has, and the source', () => {
    const redis = screened({ transactions: 'any', tls: true }, 'redis')
    expect(redis?.passes).toBe(false)
    expect(redis?.reasons).toEqual([
      'Transactions: at least any is required, but Redis has partition (https://redis.io/docs/latest/develop/using-commands/transactions/, checked 2026-11-27).',
    ])
    expect(redis?.findings.map(({ outcome }) => outcome)).toEqual(['missed', 'met'])
  })

  test.each<[Requirements, string, boolean]>([
    [{ transactions: 'record' }, 'redis', true],
    [{ consistency: 'strong' }, 'redis', false],
    [{ consistency: ['eventual', 'strong'] }, 'cassandra', true],
    [{ queries: ['filter', 'join'] }, 'cassandra', false],
    [{ secondaryIndexes: true }, 'cassandra', true],
    [{ license: ['Apache-2.0', 'AGPL-3.0-only'] }, 'redis', true],
    [{ license: 'Apache-2.0' }, 'mongodb', false],
    [{ automaticFailover: false }, 'postgres', true],
    [{ encryptionAtRest: 'paid' }, 'mongodb', true],
    [{ encryptionAtRest: 'included' }, 'mongodb', false],
    [{ tls: undefined }, 'postgres', true],
  ])('%j of %s', (requirements, name, passes) => {
    expect(screened(requirements, name)?.passes).toBe(passes)
  })

  test('lets an unknown fact pass, with a note', () => {
    const own = withFacts({ stores: { mine: { facts: {} } } }, 'own.yaml').slice(-1)
    expect(screen({ tls: true, license: ['MIT', 'ISC'] }, own)).toMatchObject([
      {
        passes: true,
        reasons: [
          'Not known whether mine meets TLS: yes is required.',
          'Not known whether mine meets license: MIT or ISC is required.',
        ],
      },
    ])
  })
})

describe('facts of a file', () => {
  const fact = { value: 'included', says: 'Our disks are encrypted.', source: 'wiki' }
  const store = (facts: unknown, others = { checked: '2026-11-01', version: '8' }): unknown => ({
    stores: { redis: { ...others, facts } },
  })

  test('replace those of the base, and add stores', () => {
    const all = withFacts(
      {
        stores: {
          redis: { checked: '2026-11-01', version: '8', facts: { encryptionAtRest: fact } },
          mine: { facts: {} },
        },
      },
      'own.yaml',
    )
    expect(all).toHaveLength(knownStores.length + 1)
    const redis = all.find(({ name }) => name === 'redis')
    expect(redis?.facts.encryptionAtRest).toEqual({ ...fact, checked: '2026-11-01', version: '8' })
    expect(redis).toMatchObject({ title: 'Redis', facts: { tls: { value: true } } })
  })

  test.each<[unknown, string]>([
    [[], 'own.yaml: it must be an object with stores, got an Array.'],
    [{}, 'own.yaml, stores: it is missing: an object of stores by name.'],
    [{ stors: {} }, "own.yaml: there is no 'stors' here. Did you mean 'stores'?"],
    [
      store({ transactons: fact }),
      "own.yaml, stores.redis.facts: there is no 'transactons' here. Did you mean 'transactions'?",
    ],
    [
      store({ transactions: { ...fact, value: 'all' } }),
      "own.yaml, stores.redis.facts.transactions.value: it must be none, record, partition or any, got 'all'.",
    ],
    [
      store({ tls: { ...fact, value: 'yes' } }),
      "own.yaml, stores.redis.facts.tls.value: it must be true or false, got 'yes'.",
    ],
    [
      store({ queries: { ...fact, value: ['sql', 'magic'] } }),
      "own.yaml, stores.redis.facts.queries.value[1]: it must be range, filter, aggregate, join or sql, got 'magic'.",
    ],
    [
      store({ tls: { value: true, says: 'It has.' } }),
      'own.yaml, stores.redis.facts.tls.source: it is missing: a text.',
    ],
    [
      store({ tls: { ...fact, value: true, checked: 'today' } }),
      "own.yaml, stores.redis.facts.tls.checked: it must be a day, such as 2026-11-27, got 'today'.",
    ],
    [
      { stores: { redis: { version: '8', facts: { tls: { ...fact, value: true } } } } },
      'own.yaml, stores.redis.facts.tls: it has no day. Write checked: 2026-11-27 here or at the store.',
    ],
  ])('that are wrong are told: %j', (data, message) => {
    expect(() => withFacts(data, 'own.yaml')).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message }),
    )
  })
})

describe('requirements of a document', () => {
  test('are taken as they are', () => {
    const requirements = {
      transactions: 'any',
      queries: ['filter'],
      license: 'MIT',
      tls: true,
      secondaryIndexes: true,
    }
    expect(requirementsIn(requirements, 'ehr.yaml, requirements')).toEqual(requirements)
  })

  test.each<[unknown, string]>([
    [{ transaction: 'any' }, "r: there is no 'transaction' here. Did you mean 'transactions'?"],
    [{ transactions: true }, 'r, transactions: it must be none, record, partition or any, got true.'],
    [
      { consistency: 'linear' },
      "r, consistency: it must be true, or one or a list of eventual, causal, strong, got 'linear'.",
    ],
    [{ tls: 'yes' }, "r, tls: it must be true or false, got 'yes'."],
  ])('that are wrong are told: %j', (data, message) => {
    expect(() => requirementsIn(data, 'r')).toThrow(expect.objectContaining({ message }))
  })
})
