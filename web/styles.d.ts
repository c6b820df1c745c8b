/** Style sheets, which the bundler takes. */
declare module "*.css";

/** A style sheet as text. */
declare module "*.css?inline" {
  const text: string;
  export default text;
}

/** Programs for a thread of their own: the address of what the bundler made of one. */
declare module "*?worker&url" {
  const address: string;
  export default address;
}
