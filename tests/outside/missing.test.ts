import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { esbuild, webpack } from './bundlers.ts'
import { node } from './run.ts'

const [project, bare] = [inject('project'), inject('bare')]

/** Stores by URL, and the package that each cannot do without. */
const needed = {
  'lmdb:./data': 'lmdb',
  'sqlite:./data.db': 'libsql',
  'redis://127.0.0.1:1': 'ioredis',
  'redis://127.0.0.1:1?driver=node-redis': 'redis',
  'mysql://127.0.0.1:1/d': 'mysql2',
  'mysql://127.0.0.1:1/d?driver=mariadb': 'mariadb',
  'postgres://127.0.0.1:1/d': 'pg',
  'mongodb://127.0.0.1:1/d': 'mongodb',
  'cassandra://127.0.0.1:1/k?datacenter=d': 'cassandra-driver',
  's3://key:secret@bucket?region=r': '@aws-sdk/client-s3',
  'dynamodb://key:secret@table?region=r': '@aws-sdk/client-dynamodb',
}

const program = `import { keyValue, memory, open } from 'unikv'
async function main() {
  const all = keyValue(memory(), [])
  await all.set('a', new Uint8Array([1]))
  const told = {}
  for (const url of ${JSON.stringify(Object.keys(needed))}) {
    const kv = keyValue(open(url), [])
    await kv.set('a', new Uint8Array([1])).catch(({ code, retryable, message }) => (told[url] = [code, retryable, message]))
    await kv.close().catch(() => {})
  }
  console.log(JSON.stringify(told))
}
void main()
`

async function told(args: readonly string[]): Promise<Record<string, [string, boolean, string]>> {
  const { output } = await node(bare, args)
  return JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? output)
}

describe('without any driver', () => {
  test('each store names the package that it needs', async () => {
    await writeFile(join(bare, 'missing.mjs'), program)
    const found = await told(['missing.mjs'])
    for (const [url, name] of Object.entries(needed))
      expect(found[url], url).toEqual([
        'INVALID_CONFIG',
        false,
        `The package ${name} is not installed: npm install ${name}`,
      ])
  })

  test.each(['esm', 'cjs', 'webpack'] as const)('unikv is bundled and runs: %s', async (form) => {
    const entry = join(bare, `missing-${form}.mjs`)
    await writeFile(entry, program)
    const outfile = join(bare, 'out', form, form === 'esm' ? 'main.mjs' : 'main.cjs')
    const { errors } =
      form === 'webpack'
        ? await webpack({ main: entry }, join(bare, 'out', form))
        : await esbuild({ entry, outfile, format: form })
    expect(errors).toEqual([])
    const found = await told([outfile])
    for (const [url, name] of Object.entries(needed)) {
      if (name === 'libsql') continue // its thread is a file of its own, and no part of a bundle
      expect(found[url]?.slice(0, 2), url).toEqual(['INVALID_CONFIG', false])
      expect(found[url]?.[2], url).toContain(`The package ${name} is neither in this bundle nor installed`)
    }
  })
})

describe('with ioredis in the bundle', () => {
  const native = `import { redis } from '@unikv/redis'
console.log(typeof redis({ url: 'redis://127.0.0.1:1' }).native.get)
`
  test('a bundle of ES modules without a banner says what it lacks', async () => {
    const entry = join(project, 'no-banner.mjs')
    await writeFile(entry, native)
    const outfile = join(project, 'out/no-banner.mjs')
    await esbuild({ entry, outfile, format: 'esm' })
    expect((await node(project, [outfile])).output).toContain('this bundle of ES modules has no require')
  })

  test('native is there before the first call in a CommonJS bundle', async () => {
    const entry = join(project, 'native.mjs')
    await writeFile(entry, native)
    const outfile = join(project, 'out/native.cjs')
    await esbuild({ entry, outfile, format: 'cjs' })
    expect(await node(bare, [outfile])).toEqual({ code: 0, output: 'function\n' })
  })
})
