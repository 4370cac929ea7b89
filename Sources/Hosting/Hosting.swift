// Hosting
