/** Everyday words, which the recognizer's general language model knows. */
export const everydaySentences: readonly string[] = [
  "Please open the window before you leave the room.",
  "The weather will be cold and windy tomorrow morning.",
  "We need to buy some bread and milk from the store.",
  "She walked down the street and talked to her brother.",
  "The train to the city leaves at half past nine.",
  "Can you tell me where the nearest hospital is?",
  "He has worked for the government for twenty years.",
  "There are three hundred people in the meeting today.",
  "The president said that the war would soon be over.",
  "My father used to read the newspaper every evening.",
  "It is important to drink a lot of water in summer.",
  "They will travel to Germany and France next month.",
  "The little girl wanted to play with the white dog.",
  "I would like to speak with the manager about this problem.",
  "The company reported a profit of five million dollars.",
  "Most students finish the course in about two years.",
];
