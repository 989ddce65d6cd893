import { either, parsedAs, wrongAt } from '@unikv/stores/documents'
import { features } from '@unikv/stores/lazy'
import { eventualName } from '../config.ts'
import { documentSchema, type EvaluationDocument } from './document.ts'

/**
 * An evaluation out of the data of a file.
 *
 * @param file - its name, for messages
 * @throws {StoreError} `INVALID_CONFIG`: the place of the first mistake, what was found, and what is right
 */
export function evaluationDocument(data: unknown, file: string): EvaluationDocument {
  const document = parsedAs(documentSchema, data, file)
  for (const name of Object.keys(document.candidates)) {
    checkName(name, file)
    const twin = eventualName({ name })
    if (Object.hasOwn(document.candidates, twin))
      throw wrongAt(
        file,
        `candidates.${twin}`,
        `this name stands for '${name}' with eventual consistency. Choose another`,
      )
  }
  for (const [i, name] of (document.needs ?? []).entries())
    if (!Object.hasOwn(features, name))
      throw wrongAt(
        file,
        `needs[${i}]`,
        `there is no feature '${name}'; there are ${either(Object.keys(features))}`,
      )
  return document
}

/** A name is part of those of files, and that of its eventual twin is longer. */
function checkName(name: string, file: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,22}$/.test(name)) return
  throw wrongAt(
    file,
    `candidates.${name}`,
    'a name begins with a letter or digit, and has up to 23 letters, digits, - and _',
  )
}
