import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { toText, unfold } from '../src/index.ts'
import { failure, folder, written } from './documents.ts'

/** An example of the page: files, and what the last one gives. */
interface Example {
  readonly file: string
  readonly text: string
  readonly kind: string
  readonly expected: string
}

const page = readFileSync(
  new URL('../../../docs/reference/configuration-language.md', import.meta.url),
  'utf8',
)
const blocks = [...page.matchAll(/(?:^`([\w.-]+)`:?\n\n)?^```(\w+)\n([\s\S]*?)^```/gm)]

function examplesIn(): readonly Example[] {
  const found: Example[] = []
  let last = { file: '', text: '' }
  for (const [, file, kind = '', text = ''] of blocks) {
    if (file !== undefined) {
      last = { file, text }
      written({ [file]: text })
    } else if (kind === 'json' || kind === 'text') found.push({ ...last, kind, expected: text.trimEnd() })
  }
  return found
}

describe('the examples of the reference page', () => {
  const examples = examplesIn()

  test('are there for every rule', () => {
    expect(examples.length).toBeGreaterThan(20)
    const titles = ['Documents', 'YAML and JSON', 'extends', 'foreach', 'ref', 'exp', 'Regular expressions']
    for (const title of titles) expect(page).toContain(`## ${title}\n`)
  })

  test.each(examples)('$file', async ({ file, text, kind, expected }) => {
    if (kind === 'text') {
      expect(await failure({ [file]: text })).toContain(expected)
      return
    }
    const documents = await unfold(`${folder}/${file}`)
    expect(documents.map((document) => toText(document, 'json').trimEnd())).toEqual(expected.split('\n'))
  })
})
