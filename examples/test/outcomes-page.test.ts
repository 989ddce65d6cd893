import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { storeOutcomes } from './outcomes-of-stores.ts'
import { codeTable, operationTable, outcomeTable, storeTable } from './outcomes-page.ts'

const page = `# Outcomes: what failed, what happened, what may be tried again

<!-- Written by examples/test/outcomes-page.test.ts from the table that the library goes by. After a change of it:
     npx vitest run examples/test/outcomes-page.test.ts -u -->

A call that fails says whether it changed something ([errors and outcomes](../concepts/errors-and-outcomes.md)). This is
the table by which the library decides whether an attempt may be made again:
[outcomes.ts](../../packages/core/src/contract/outcomes.ts), enforced in one place and tested on every store with a proxy that
cuts, holds, slows and swallows ([\`networkFaults\`](../../packages/conformance/README.md#network-faults)).

## Which operation is which

${operationTable()}

In a batch each item counts for itself.

## What may be tried again

${outcomeTable()}

- **Adapters never try a write again by themselves**, and the retries of their drivers are off. A write that a cluster redirects,
  and a script that a server has forgotten, certainly had no effect and goes again.
- *if allowed*: only with \`lateDuplicates: 'allowed'\` of [resilience](../../packages/middleware/resilience/README.md), and
  with the same version: for data that one writer owns, or that may be written twice.
- *read back*: the version of the attempt, found in the record, means that the write took effect. Anything else means
  nothing: the request may still be on its way, or somebody wrote since. Nothing is tried again.
- Nothing is tried again after the deadline of the call, or after its signal.
- A hedge is a second attempt beside the first, before that has failed.

## Codes

${codeTable()}

\`UNAVAILABLE\` with \`retryable: false\` (no trusted TLS, a statement that the server does not take) is settled too.

## In what stores differ

${storeTable(storeOutcomes)}

On every store a connection that breaks after a write was sent leaves it unknown, and one that breaks before does not.
`

test('the page of outcomes says what the table of the library says', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/reference/outcomes.md')
})

test('it has a line for every store whose capabilities are told', () => {
  const stores = readFileSync(new URL('../../docs/reference/stores.md', import.meta.url), 'utf8')
  const titles = Array.from(stores.matchAll(/^\| \[([^\]]+)\]\(#/gm), ([, title]) => title)
  expect(titles.length).toBeGreaterThanOrEqual(14)
  expect(storeOutcomes.map(({ store }) => store)).toEqual(expect.arrayContaining(titles))
})
