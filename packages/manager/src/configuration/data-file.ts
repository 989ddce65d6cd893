import { extname } from 'node:path'
import { readWhole } from '@unikv/core/files'
import { isPlainObject } from '@unikv/core/platform'
import { unquotedHint } from '@unikv/core/url'
import type { Document } from 'yaml'
import { wrong } from '../wrong.ts'

/**
 * The data in a file of YAML or JSON.
 *
 * @throws {StoreError} `INVALID_CONFIG` that names the line, but nothing that stands in it: it may be a password
 */
export async function dataIn(path: string): Promise<unknown> {
  const bytes = await readWhole(path).catch((cause: NodeJS.ErrnoException) => {
    throw wrong(path, `the file cannot be read (${cause.code})`, cause)
  })
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const { parseAllDocuments } = await import('yaml')
  // `<<` takes over the options of an anchor.
  const [document, another] = parseAllDocuments(text, { merge: true }) as Document.Parsed[]
  if (text.trim() !== '' && extname(path) === '.json') return withoutSchema(jsonOf(path, text, document))
  if (another !== undefined) throw wrong(path, 'it has several documents. Remove the lines ---')
  if (document === undefined) throw wrong(path, 'the file is empty')
  return withoutSchema(yamlOf(path, document, text))
}

/** `$schema` is for editors. */
function withoutSchema(data: unknown): unknown {
  if (!isPlainObject(data)) return data
  const { $schema: _, ...others } = data
  return others
}

function yamlOf(path: string, document: Document.Parsed, text: string): unknown {
  const [problem] = [...document.errors, ...document.warnings]
  if (problem?.code === 'TAG_RESOLVE_FAILED')
    throw wrong(
      path,
      `the tag on ${lineOf(problem)} has no meaning here. Put a text that begins with ! in quotes`,
    )
  if (problem !== undefined)
    throw wrong(
      path,
      `it is not YAML: ${withoutText(problem.message)} (${lineOf(problem)}).${unquotedHint(text)}`,
    )
  try {
    return document.toJS()
  } catch (cause) {
    throw wrong(
      path,
      `it is not YAML: ${withoutText((cause as Error).message)}. Put a text that begins with * in quotes`,
    )
  }
}

/** JSON, which YAML would read too, but with other rules. Only YAML sees an option that is there twice. */
function jsonOf(path: string, text: string, document: Document.Parsed | undefined): unknown {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    const at = Number(/position (\d+)/.exec((cause as Error).message)?.[1])
    const where = Number.isNaN(at) ? '' : ` (line ${text.slice(0, at).split('\n').length})`
    throw wrong(
      path,
      `it is not JSON${where}. JSON has no comments and no commas at the end; YAML may have both`,
    )
  }
  const twice = document?.errors.find(({ code }) => code === 'DUPLICATE_KEY')
  if (twice !== undefined) throw wrong(path, `an option is there twice (${lineOf(twice)})`)
  return data
}

/** A message of the parser up to the part of the file that it quotes. */
function withoutText(message: string): string {
  return (message.split('\n')[0] as string).replace(/:.*| at line .*/s, '')
}

function lineOf({
  linePos,
}: {
  readonly linePos?: readonly { readonly line: number }[] | undefined
}): string {
  return `line ${linePos?.[0]?.line ?? 1}`
}
