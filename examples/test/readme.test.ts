import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect, promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** The first sample of a page. */
interface Sample {
  readonly readme: string
  /** A line of what it prints. */
  readonly prints: string
}

/** Samples that are whole programs, and what they print. */
const samples: readonly Sample[] = [
  { readme: 'README.md', prints: "{ name: 'Ada', logins: 1 }" },
  { readme: 'packages/core/README.md', prints: "{ name: 'Ada', visits: 1 }" },
  {
    readme: 'docs/guides/cache-in-front-of-a-loader.md',
    prints: "'Ada Lovelace' 2",
  },
]

/** A strict project of a user, who checks declarations of libraries too. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'es2024.string', 'es2024.sharedmemory', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  allowImportingTsExtensions: true,
  customConditions: ['@unikv/source'],
}

/** The sample as a file inside the repository, where packages are found, and out of the way of everything else. */
function sampleOf({ readme }: Sample): string {
  const text = readFileSync(join(root, readme), 'utf8')
  const code = /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1]
  if (code === undefined) throw new Error(`${readme} has no sample`)
  const file = join(root, '.cache/readme', readme.replaceAll('/', '-'), 'sample.ts')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, code)
  writeFileSync(
    join(dirname(file), 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['sample.ts'] }),
  )
  return file
}

describe.each(samples)('the sample of $readme', (sample) => {
  const { prints } = sample
  const file = sampleOf(sample)
  const startedIn = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'unikv-readme-'))

  afterEach(() => {
    process.chdir(startedIn)
    rmSync(folder, { recursive: true, force: true })
    vi.restoreAllMocks()
  })

  test('runs as it stands', async () => {
    process.chdir(folder)
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    await import(pathToFileURL(file).href)
    expect(printed.mock.calls.map((values) => values.map((value) => inspect(value)).join(' '))).toContain(
      prints,
    )
  })

  test('type-checks, the declarations of libraries included', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', dirname(file)]).catch(
      (error: unknown) => error as { stdout: string },
    )
    expect(stdout).toBe('')
  })
})
