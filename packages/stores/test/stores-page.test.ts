import { expect, test } from 'vitest'
import { stores } from '../src/facts.ts'
import { knownStores } from '../src/knowledge/known-stores.ts'
import { featureTable, overview, section } from './stores-page.ts'

const page = `# Stores

<!-- Written by packages/stores/test/stores-page.test.ts from the facts.ts of each adapter.
     After a change: npx vitest run packages/stores/test/stores-page.test.ts -u -->

The abilities of each store, its costs, and the servers its tests run on; \`unikv stores\` answers the same on the command line:

\`\`\`sh
npx unikv stores --with conditionalWrite,ttl --min-value 10M
npx unikv stores compare redis postgres
npx unikv stores show cassandra --json
\`\`\`

It tells what you get through unikv. Facts about the stores themselves, such as transactions, security and license, are on
[another page](store-facts.md).

The words are those of [capabilities.ts](../../packages/core/src/contract/capabilities.ts), where each is explained; "–" is *no*. An
operation that is not declared is a compile error, and \`UNSUPPORTED\` at run time
([contract 12](../concepts/contract.md#12-capabilities-are-data), with what layers change).
A key of 1 to 180 bytes, namespaces included, works on all of them.

${overview(stores)}

Out of scope for now: ${knownStores
  .flatMap(({ title, unopened }) => (unopened === undefined ? [] : [`${title} (${unopened})`]))
  .join(', ')}.

## Features

For \`--with\` and \`--without\` of \`unikv stores\`.

${featureTable()}

${stores.map(section).join('\n\n')}
`

test('the page of stores says what the adapters declare', async () => {
  await expect(page).toMatchFileSnapshot('../../../docs/reference/stores.md')
})
