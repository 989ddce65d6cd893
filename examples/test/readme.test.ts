import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The first sample of a page. */
interface Sample {
  readonly readme: string
  /** A line of what it prints. */
  readonly prints: string
}

/** Samples that are whole programs, and what they print: `npm run test:doc-blocks` compiles them, and the others. */
const samples: readonly Sample[] = [
  { readme: 'README.md', prints: "{ name: 'Ada', logins: 1 }" },
  { readme: 'packages/core/README.md', prints: "{ name: 'Ada', visits: 1 }" },
  {
    readme: 'docs/guides/cache-in-front-of-a-loader.md',
    prints: "'Ada Lovelace' 2",
  },
]

/** The sample as a file inside the repository, where packages are found, and out of the way of everything else. */
function sampleOf({ readme }: Sample): string {
  const text = readFileSync(join(root, readme), 'utf8')
  const code = /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1]
  if (code === undefined) throw new Error(`${readme} has no sample`)
  const file = join(root, '.cache/readme', readme.replaceAll('/', '-'), 'sample.ts')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, code)
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
})
