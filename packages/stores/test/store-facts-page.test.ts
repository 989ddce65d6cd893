import { expect, test } from 'vitest'
import type { Fact, KnownStore } from '../src/knowledge/known-store.ts'
import { knownStores } from '../src/knowledge/known-stores.ts'
import { type FactName, factNames, factText, vocabulary } from '../src/knowledge/vocabulary.ts'
import { pastaTable } from './pasta-table.ts'
import { anchor, table } from './stores-page.ts'

const page = `# Facts about stores

<!-- Written by packages/stores/test/store-facts-page.test.ts from packages/stores/src/knowledge.
     After a change: npx vitest run packages/stores/test/store-facts-page.test.ts -u -->

Facts about the stores themselves, as their makers describe them, and about some that unikv does not open. unikv does not make use of all of it: the [page of stores](stores.md)
tells what you get through unikv. Each fact has a page that says so, the day when it was checked, and the version that it holds for. Most were
checked in stored copies of these pages. A fact that could not be checked is *not known*.

\`\`\`sh
npx unikv stores show mongodb
npx unikv stores compare postgres cassandra
npx unikv stores --require transactions=any,tls
npx unikv stores scenarios growth
\`\`\`

\`--require\` takes those stores out that do not meet a requirement, and says why; a store of which a fact is not known stays, with a note.
A file of your own adds facts and stores to all three commands by \`--facts\`:

\`\`\`yaml
stores:
  redis:
    version: our cluster
    checked: 2026-11-27
    facts:
      encryptionAtRest:
        value: included
        says: Its disks are encrypted.
        source: https://wiki.example.org/disks
  tidb:
    title: TiDB
    version: '8.5'
    checked: 2026-11-27
    facts:
      transactions: { value: any, says: Over any rows., source: https://docs.pingcap.com }
\`\`\`

\`screen\` and \`withFacts\` of [\`@unikv/stores/knowledge\`](../../packages/stores/README.md) do the same in a program.

## The words

${table(
  ['fact', 'tells', 'values'],
  Object.entries(vocabulary).map(([name, { means, kind, values }]) => [
    `\`${name}\``,
    means,
    kind === 'flag' ? 'yes or no' : (values?.join(kind === 'scale' ? ' < ' : ', ') ?? 'names'),
  ]),
)}

## All stores

${table(
  ['', ...factNames.map((name) => vocabulary[name].label)],
  knownStores.map((store) => [
    `[${store.title}](#${anchor(store.title)})`,
    ...factNames.map((name) => shown(store, name)),
  ]),
)}

## Tactics of seven stores

The table of tactics in PaSTA ([papers](papers.md)), as the documentation of today answers it. Brackets hold what the paper of 2020 has otherwise; the sections
below say why.

${pastaTable(knownStores)}

${knownStores.map(section).join('\n\n')}
`

test('the page of facts says what is known', async () => {
  await expect(page).toMatchFileSnapshot('../../../docs/reference/store-facts.md')
})

function section(store: KnownStore): string {
  const rows = factNames.flatMap((name) => {
    const fact = factOf(store, name)
    if (fact === undefined) return []
    return [
      [
        `\`${name}\``,
        factText(fact.value),
        `${fact.says} [Source](${fact.source})`,
        `${fact.checked}, ${fact.version}`,
      ],
    ]
  })
  const unknown = factNames.filter((name) => factOf(store, name) === undefined)
  return [
    `## ${store.title}`,
    ...(store.unopened === undefined ? [] : [`unikv does not open it: ${store.unopened}.`]),
    table(['fact', 'value', 'in words', 'checked'], rows),
    ...(unknown.length === 0 ? [] : [`Not known: ${unknown.map((name) => `\`${name}\``).join(', ')}.`]),
  ].join('\n\n')
}

function shown(store: KnownStore, name: FactName): string {
  const fact = factOf(store, name)
  return fact === undefined ? '?' : factText(fact.value)
}

function factOf({ facts }: KnownStore, name: FactName): Fact | undefined {
  return facts[name]
}
