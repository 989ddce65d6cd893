/**
 * Writes the table of moves of examples/log-management into docs/guides/bench-migration.md, between two comments: lines that change from
 * store to store, by each way of access. With `--check` it only says whether it is what it should be. It needs a build.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measuredMigration } from '../packages/unikv/dist/cli/migration/migration.js'
import { root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values
const page = join(root, 'docs/guides/bench-migration.md')
const example = join(root, 'examples/log-management')

const application = ['service.ts', 'log.ts', 'analyses.ts', 'collector.ts']
const [cassandra, mongodb, postgres] = ['cassandra', 'mongodb', 'postgres']
/** The files of each prototype by the way of access, and the stores that it has. */
const ways = [
  ['native clients', [cassandra, mongodb, postgres], (store) => [`native/${store}.ts`]],
  ['TypeORM', [mongodb, postgres], (store) => [`typeorm/${store}.ts`]],
  ['keyv', [mongodb, postgres], (store) => ['spans.ts', 'keyv/with-keyv.ts', `keyv/${store}.ts`]],
  [
    'unstorage',
    [mongodb, postgres],
    (store) => ['spans.ts', 'unstorage/with-unstorage.ts', `unstorage/${store}.ts`],
  ],
  [
    'unikv',
    [cassandra, mongodb, postgres],
    (store) => ['spans.ts', 'with-unikv.ts', `configurations/${store}.yaml`],
  ],
]
const moves = [cassandra, mongodb, postgres].flatMap((from) =>
  [cassandra, mongodb, postgres].filter((to) => to !== from).map((to) => ({ from, to })),
)
const labels = { cassandra: 'Cassandra', mongodb: 'MongoDB', postgres: 'PostgreSQL' }

process.chdir(example)
const rows = []
for (const [way, stores, filesOf] of ways) {
  const given = stores.map((store) => `${store}=${[...application, ...filesOf(store)].join()}`)
  const { sizes, migrations } = await measuredMigration(given)
  const lines = sizes.map(({ code, configuration }) => code + configuration)
  const [least, most] = [Math.min(...lines), Math.max(...lines)]
  const cells = moves.map(({ from, to }) => {
    const found = migrations.find((one) => one.from === from && one.to === to)
    return found === undefined ? '–' : cell(found)
  })
  rows.push([way, least === most ? String(least) : `${least} to ${most}`, ...cells])
}
const head = ['prototype', 'lines', ...moves.map(({ from, to }) => `${labels[from]} → ${labels[to]}`)]
const line = (cells) => `| ${cells.join(' | ')} |`
const table = [line(head), line(['---', ...head.slice(1).map(() => '--:')]), ...rows.map(line)].join('\n')

const text = readFileSync(page, 'utf8')
const block = /(<!-- moves of log-management, [^>]*-->\n)[^]*?(<!-- end of moves -->)/
const right = text.replace(block, (_, begin, end) => `${begin}\n${table}\n\n${end}`)
if (!check) writeFileSync(page, right)
verdict('moves of the example', [
  ...(block.test(text)
    ? []
    : ['docs/guides/bench-migration.md: has no place for the moves of log-management']),
  ...(check && right !== text
    ? ['docs/guides/bench-migration.md: other counts: run node scripts/migration-table.mjs']
    : []),
])

function cell({ written: { code, configuration }, share }) {
  const lines = configuration === 0 ? String(code) : `${code}, and ${configuration} of configuration`
  return `${lines} (${(100 * share).toFixed(1)} %)`
}
