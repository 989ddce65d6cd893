export type { S3Capabilities, S3Durability } from './capabilities.ts'
export type { S3Native } from './client/s3-client.ts'
export type { S3Credentials, S3Options } from './options.ts'
export { prepareS3, type S3Store, s3 } from './s3.ts'
