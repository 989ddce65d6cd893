/** Stores that people ask for and that have no adapter, with the reason. */
export const outOfScope: Readonly<Record<string, string>> = {
  Riak: 'out of scope for now: no maintained client for Node.js',
  Elasticsearch: 'out of scope for now: a search engine, whose writes are not read back at once',
}
