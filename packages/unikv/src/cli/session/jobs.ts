import { type Document, type Element, inherit, placeText, toJson, toText } from '@unikv/config'
import { type DocumentOptions, inheritOptionsOf } from '../config/document-options.ts'
import { type GivenJob, session } from './study.ts'

/** A job of a document, and the folder of its result. */
export interface SuiteJob extends GivenJob {
  /** Such as `03-auction-redis`. */
  readonly folder: string
  /** The file, and the number of the document in it if there are several. */
  readonly place: string
  /** The document of the job with everything resolved, as XML without secrets. */
  readonly document: string
}

/**
 * The jobs that a document unfolds into.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming file and place of what is wrong
 */
export async function jobsOf(file: string, options: DocumentOptions): Promise<readonly SuiteJob[]> {
  const inherited = await inherit(file, inheritOptionsOf(options))
  const documents = inherited.unfold()
  const jobs: SuiteJob[] = []
  for (const [at, document] of documents.entries()) {
    const root = jobOf(document)
    const ofMany = documents.length === 1 ? '' : `, document ${at}`
    const place = (path: string): string => placeText(nearest(root, path)) + ofMany
    const data = toJson(root)
    const modules = await session.modulesOf(data, place, (path) => nearest(root, path).place.file)
    const job = session.jobIn(data, place, modules)
    const number = String(at + 1).padStart(String(documents.length).length, '0')
    jobs.push({
      ...job,
      place: `${file}${ofMany}`,
      folder: folderOf(number, job, documents.length),
      document: toText(shownElement(root), 'xml'),
    })
  }
  return jobs
}

/** The job of a document: the whole of it, or one element of a suite. */
function jobOf(document: Document): Element {
  const { root } = document
  const [first = root, second] = root.children.filter(({ tag }) => tag === 'job')
  if (second === undefined) return first
  throw document.error(
    second,
    'it is a second job: a suite has one, which a foreach unfolds. Write a file for each of them, or a foreach of what differs.',
  )
}

/** The element at a path of names and numbers such as `events.0.at`, or the nearest one above it. */
function nearest(root: Element, path: string): Element {
  let found = root
  for (const step of path.split('.')) {
    const next = /^\d+$/.test(step)
      ? found.children[Number(step)]
      : found.children.find(({ tag, attributes }) => (attributes.get('name') ?? tag) === step)
    if (next === undefined) return found
    found = next
  }
  return found
}

/** A name of a folder: the number of the job and its name, in letters that every file system takes. */
function folderOf(number: string, { name }: GivenJob, count: number): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
  const folder = plain === '' ? 'job' : plain
  return count === 1 ? folder : `${number}-${folder}`
}

/** Names of the parameters that differ among jobs. */
export function varied(jobs: readonly GivenJob[]): readonly string[] {
  const names = [...new Set(jobs.flatMap(({ parameters }) => Object.keys(parameters)))]
  return names.filter((name) => new Set(jobs.map(({ parameters }) => parameters[name])).size > 1)
}

/** An element as results may show it: no text or attribute in it has the secrets of a URL. */
function shownElement(own: Element): Element {
  return {
    ...own,
    attributes: new Map([...own.attributes].map(([name, value]) => [name, session.shownText(value)])),
    text: own.text === undefined ? undefined : session.shownText(own.text),
    children: own.children.map(shownElement),
  }
}
