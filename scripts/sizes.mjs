/**
 * Bundles programs by esbuild and writes their sizes into docs/guides/bundling.md.
 *
 *   node scripts/sizes.mjs            write the table
 *   node scripts/sizes.mjs --check    fail if a size of the table is wrong by more than a tenth
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packages, root, verdict } from './workspaces.mjs'

const page = 'docs/guides/bundling.md'
const { build, version } = createRequire(join(root, 'bench/package.json'))('esbuild')
const margin = 0.1

const core = "import { json, keyValue } from '@unikv/core'"
const redis = "import { redis } from '@unikv/redis'"
const cache = "import { cache } from '@unikv/cache'"
const overRedis = (layers) => `export const kv = keyValue(redis({ url: 'redis://127.0.0.1' }), [${layers}])`

/** Each bundle: its name, its program, and the drivers that go into it; all others stay outside. */
const bundles = [
  [
    'core and memory',
    [core, "import { memory } from '@unikv/core/memory'", 'export const kv = keyValue(memory(), [json()])'],
  ],
  ['core and Redis, ioredis outside', [core, redis, overRedis('json()')]],
  ['core, Redis and cache, ioredis outside', [core, redis, cache, overRedis('cache(), json()')]],
  ['core, Redis, cache and ioredis', [core, redis, cache, overRedis('cache(), json()')], ['ioredis']],
  [
    'core, PostgreSQL and pg',
    [
      core,
      "import { postgres } from '@unikv/postgres'",
      "export const kv = keyValue(postgres({ url: 'postgres://127.0.0.1/a' }), [json()])",
    ],
    ['pg'],
  ],
  [
    'core, DynamoDB and its SDK',
    [
      core,
      "import { dynamodb } from '@unikv/dynamodb'",
      "export const kv = keyValue(dynamodb({ table: 'a' }), [json()])",
    ],
    ['@aws-sdk/client-dynamodb'],
  ],
  ['`unikv`, all drivers outside', ["export * from 'unikv'"]],
]
const drivers = new Set([
  'lmdb',
  'pg-native',
  ...packages().flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {})),
])

const measured = await Promise.all(bundles.map(sizeOf))
const text = readFileSync(join(root, page), 'utf8')
if (process.argv.includes('--check')) check()
else writeFileSync(join(root, page), text.replace(/(?<=\n## Sizes\n\n[^|]*)(?:\|.*\n)+/, table()))

async function sizeOf([name, program, inside = []]) {
  const { outputFiles } = await build({
    stdin: { contents: program.join('\n'), resolveDir: root },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    external: [...drivers].filter((driver) => !inside.includes(driver) && !driver.startsWith('@unikv/')),
    write: false,
  })
  const [{ contents }] = outputFiles
  return { name, minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length }
}

function table() {
  const kb = (bytes) => `${Math.round(bytes / 1000)} KB`.padStart(8)
  return [
    '| bundle                                      | minified | gzipped  |',
    '| ------------------------------------------- | -------: | -------: |',
    ...measured.map((one) => `| ${one.name.padEnd(43)} | ${kb(one.minified)} | ${kb(one.gzipped)} |`),
    '',
  ].join('\n')
}

function check() {
  const problems = measured.flatMap(({ name, minified, gzipped }) => {
    const row = text.split('\n').find((line) => line.startsWith(`| ${name} `))
    const stated = row?.match(/\d+(?= KB)/g)?.map((kb) => Number(kb) * 1000) ?? []
    const isRight = [minified, gzipped].every((bytes, i) => Math.abs(bytes - stated[i]) <= margin * bytes)
    return isRight ? [] : [`${page}: the size of "${name}" is wrong. Run node scripts/sizes.mjs.`]
  })
  verdict(`sizes of ${measured.length} bundles (esbuild ${version})`, problems)
}
