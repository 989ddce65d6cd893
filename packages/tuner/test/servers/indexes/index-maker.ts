/** Makes an index and says when it begins: a process that is killed meanwhile. Takes the kind, the URL, the table and the attributes. */
import { type Indexer, indexName } from '../../../src/tactics/indexer.ts'
import { indexers } from '../../../src/tactics/indexers.ts'
import { grounds } from './grounds.ts'

const [kind, url, name, ...by] = process.argv.slice(2) as [keyof typeof grounds, string, string, string]
const { native, table, kind: product } = grounds[kind](url, name)
const indexer = indexers[product] as Indexer
// Connects first.
await indexer.look(native, table)
process.stdout.write('begun\n')
await indexer.create(native, { name: indexName(table, by), table, by }, new AbortController().signal)
process.stdout.write('made\n')
process.exit()
