import { extname } from 'node:path'
import type { Element } from '../tree/element.ts'
import { shownFile, wrongFile } from '../tree/wrong.ts'
import { textOf } from './decode.ts'
import { readProperties } from './read-properties.ts'
import { readXml } from './read-xml.ts'
import { readYaml } from './read-yaml.ts'

/** How a file is read, by the end of its name. */
const readers: Readonly<Record<string, (text: string, file: string) => Element>> = {
  '.xml': readXml,
  '.json': (text, file) => readYaml(text, file, true),
  '.properties': readProperties,
  '.yaml': (text, file) => readYaml(text, file, false),
  '.yml': (text, file) => readYaml(text, file, false),
}

/** The ends that are tried after a name, in this order. */
export const extensions: readonly string[] = Object.keys(readers)

/**
 * The tree in a file, before anything is resolved.
 *
 * @throws {StoreError} `INVALID_CONFIG` with file and line
 */
export async function readDocument(file: string): Promise<Element> {
  const text = await textOf(file)
  const read = readers[extname(file).toLowerCase()] ?? (/^\s*</.test(text) ? readXml : undefined)
  if (read !== undefined) return read(text, file)
  throw wrongFile(shownFile(file), `its name must end with ${extensions.join(', ')}, or it must be XML`)
}
