import { expect, test } from 'vitest'
import { describedOptions, fileSchema } from '../src/configuration/schema.ts'
import { layerNames } from '../src/layers/layers.ts'

/** The page of each layer, by its name in a configuration. */
const pages: Readonly<Record<(typeof layerNames)[number], string>> = {
  json: 'core',
  text: 'core',
  structured: 'core',
  document: 'core',
  cache: 'middleware/cache',
  tier: 'middleware/cache',
  compression: 'middleware/compression',
  encryption: 'middleware/encryption',
  delta: 'middleware/delta',
  parts: 'middleware/parts',
  transactional: 'transaction',
  writeBehind: 'middleware/write-behind',
  resilience: 'middleware/resilience',
  openTelemetry: 'middleware/monitor',
}

function table(rows: readonly (readonly [name: string, meaning: string])[]): string {
  return [
    '| option | meaning |',
    '| --- | --- |',
    ...rows.map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
  ].join('\n')
}

const { store = [], monitor = [], dashboard = [] } = describedOptions()

const page = `# Configuration

<!-- Written by packages/manager/test/reference-page.test.ts from the schema. After a change of it:
     npx vitest run packages/manager/test/reference-page.test.ts -u -->

All options of \`unikv.config.ts\`, \`.js\`, \`.mjs\`, \`.yaml\` and \`.json\`. The guide is [Several stores in production](../guides/several-stores.md).
Editors complete and check YAML with a first line, and JSON with a first property:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/@unikv/manager/schema.json
\`\`\`

\`\`\`json
{ "$schema": "./node_modules/@unikv/manager/schema.json" }
\`\`\`

In texts \`\${NAME}\` is a variable of the environment, \`\${NAME:-text}\` has a default, \`\${file:/path}\` is the contents of a file, and \`$\${\` is \`\${\`
itself. An option that is one variable and nothing else may be a number or a boolean. Relative paths of URLs and of \`\${file:path}\` count from the folder
of the file.

## \`stores\`

Each name has a URL, or an object:

${table(store)}

## \`layers\`

${layerNames.map((name) => `[\`${name}\`](../../packages/${pages[name]}/README.md)`).join(', ')}.

Options are those of the layer's package. \`tier\` is a cache in another store: \`{ tier: { store: near } }\`. \`writeBehind\` takes the name of a store
as its \`journal\`, and \`background: true\` to answer before the store has the write. \`encryption\` takes \`keys: { primary, keys }\`, as \`keyring\` does.
\`transactional\` takes the name of a store with the layer \`json\` as its \`log\`, and stands last.

## \`monitor\`

\`true\`, or an object:

${table(monitor)}

## \`dashboard\`

An object, for the page of [\`@unikv/dashboard\`](../../packages/dashboard/README.md#decoders):

${table(dashboard)}
`

test('the page and the schema for editors are those of the code', async () => {
  await expect(page).toMatchFileSnapshot('../../../docs/reference/configuration.md')
  await expect(`${JSON.stringify(fileSchema(), null, 2)}\n`).toMatchFileSnapshot('../schema.json')
})

test('every option is described', () => {
  for (const [name, meaning] of [...store, ...monitor, ...dashboard])
    expect(meaning, name).toMatch(/^[A-Z].*\.$/)
})
